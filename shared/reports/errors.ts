/** §7 The errors for report files that are refused. */

import { ApiError } from '#shared/engine/errors.ts';
import { makeVisibleLine } from '#shared/engine/plain-text.ts';
import { FORMAT_NAMES } from '#shared/model/runs/report-format.ts';

const SHOWN_CHARACTERS = 128;
const ACCEPTED = `Accepted formats: ${FORMAT_NAMES}, and a zip of several reports. Each may be compressed with gzip`;

const describeFile = (name: string): string =>
  name === '' ? 'The file' : `The file "${makeVisibleLine(name.slice(0, SHOWN_CHARACTERS)).toWellFormed()}"`;

/**
 * A report whose results are lost: the file is empty, cut, damaged or too large. Other refused files, such as a coverage
 * report, contain no results. `reason` is what its run says, and `advice` is only for the sender.
 */
export class LostReport extends ApiError {
  override name = 'LostReport';
  readonly reason: string;

  constructor(status: 400 | 413, code: string, reason: string, advice = '') {
    super(status, reason + advice, { code });
    this.reason = reason;
  }
}

const unknown = (message: string) => new ApiError(400, `${message}. ${ACCEPTED}`, { code: 'UNKNOWN_REPORT' });
const tooLarge = (message: string) => new LostReport(413, 'REPORT_TOO_LARGE', message);

export const unknownReport = (name: string) => unknown(`${describeFile(name)} is not a known test report`);
/** Tools that fail early often leave an empty file. */
export const emptyReport = (name: string) =>
  new LostReport(
    400,
    'UNKNOWN_REPORT',
    `${describeFile(name)} is empty. Check that the tests ran and wrote their report`,
    `. ${ACCEPTED}`,
  );
export const foreignReport = (name: string, what: string, advice: string) =>
  unknown(`${describeFile(name)} is ${what}, which is not accepted. ${advice}`);
/** The content is damaged or contradicts the announced format. */
export const unreadableReport = (name: string, problem: string) =>
  new LostReport(
    400,
    'UNREADABLE_REPORT',
    `${describeFile(name)} ${problem}. Send each report whole, exactly as the tool wrote it`,
    `. ${ACCEPTED}`,
  );
/** Archives of artifacts contain archives of traces, so it is unknown whether this one contains a report. */
export const archiveTooDeep = (name: string) =>
  new ApiError(400, `${describeFile(name)} is an archive nested inside two others. Send it on its own`, {
    code: 'UNREADABLE_REPORT',
  });
export const reportTooLarge = (name: string, bytes: number) =>
  tooLarge(`${describeFile(name)} has more than ${bytes} bytes after decompression. Split the report`);
export const tooManyFiles = (name: string, files: number) =>
  tooLarge(`${describeFile(name)} has more than ${files} files. Send several smaller archives`);
export const reportTooIntricate = (name: string) =>
  tooLarge(`${describeFile(name)} has too many tests, elements or values. Split the report`);
/** A decompression bomb, or a very repetitive file. */
export const inflatesTooFar = (name: string, times: number) =>
  tooLarge(`${describeFile(name)} decompresses to more than ${times} times its size. Send it uncompressed`);
/** Imports run in the background and may take a long time, but a dry run has to respond immediately. */
export const dryRunTooLarge = ({ bytes }: { readonly bytes: number }) =>
  tooLarge(
    `The report is too large for a dry run, which reads at most a few thousand tests and ${bytes / 1024 ** 2} MiB after decompression. Send a part of the report, or import it without dryRun`,
  );
export const unreadableForm = (problem: string) =>
  new ApiError(
    400,
    `The form ${problem}. Send each report as a file of the form: curl -F file=@junit.xml. Or send one report as the body: curl --data-binary @junit.xml`,
    { code: 'UNREADABLE_FORM' },
  );
