/** §7 The refusals of report files. */

import { ApiError } from './errors.ts';
import { visibleLine } from './plain-text.ts';

const SHOWN_CHARACTERS = 128;
const ACCEPTED =
  'Accepted formats: JUnit XML, CTRF, JSON and blob reports of Playwright, and a zip of several. Each may be compressed with gzip';

const shown = (name: string): string =>
  name === '' ? 'The file' : `The file "${visibleLine(name.slice(0, SHOWN_CHARACTERS)).toWellFormed()}"`;

/** No known format. */
export const unknownReport = (name: string) =>
  new ApiError(400, `${shown(name)} is no known test report. ${ACCEPTED}`, { code: 'UNKNOWN_REPORT' });
/** Tools that fail early often leave an empty file. */
export const emptyReport = (name: string) =>
  new ApiError(400, `${shown(name)} is empty. Check that the tests ran and wrote their report. ${ACCEPTED}`, {
    code: 'UNKNOWN_REPORT',
  });
/** A report of a known tool in a format that is not accepted. */
export const foreignReport = (name: string, what: string, advice: string) =>
  new ApiError(400, `${shown(name)} is ${what}, which is not accepted. ${advice}. ${ACCEPTED}`, {
    code: 'UNKNOWN_REPORT',
  });
/** The content contradicts the announced format, or is damaged. */
export const unreadableReport = (name: string, problem: string) =>
  new ApiError(400, `${shown(name)} ${problem}. Send the whole file as the tool wrote it. ${ACCEPTED}`, {
    code: 'UNREADABLE_REPORT',
  });
export const reportTooLarge = (name: string, bytes: number) =>
  new ApiError(413, `${shown(name)} has more than ${bytes} bytes when inflated. Split the report`, {
    code: 'REPORT_TOO_LARGE',
  });
/** Many elements, values or tests in few bytes. */
export const reportTooIntricate = (name: string) =>
  new ApiError(413, `${shown(name)} has more tests, elements or values than can be read at once. Split the report`, {
    code: 'REPORT_TOO_LARGE',
  });
/** A bomb, or a very repetitive file. */
export const inflatesTooFar = (name: string, times: number) =>
  new ApiError(413, `${shown(name)} inflates to more than ${times} times its size. Send it without compression`, {
    code: 'REPORT_TOO_LARGE',
  });
/** The queue reads reports of any size, but nobody waits for its answer. */
export const dryRunTooLarge = ({ bytes }: { readonly bytes: number }) =>
  new ApiError(
    413,
    `The report is too large for a dry run, which reads at most ${bytes / 1024 ** 2} MiB after decompression and a few thousand tests. Send a part of the report, or import it without dryRun`,
    { code: 'REPORT_TOO_LARGE' },
  );
/** A form instead of a file. */
export const unreadableForm = (problem: string) =>
  new ApiError(
    400,
    `The form ${problem}. Send each report as a file of the form: curl -F file=@junit.xml. Or send one report as the body: curl --data-binary @junit.xml`,
    { code: 'UNREADABLE_FORM' },
  );
