/**
 * What the error of a test may have in common with those of other tests that fail for the same cause. The traits are
 * stored in the list of failures of a run, so that the causes of a whole run can be found without reading each error.
 */
import { takeFirstCharacters } from '#shared/engine/plain-text.ts';
import { classifyError } from './classify.ts';
import { ERROR_LIMITS } from './limits.ts';
import { parseError } from './parsed-error.ts';
import { type ErrorReading, type ReportedText, readError } from './read-error.ts';

/**
 * What failed, on which target, the received and the expected value, the place, and the message as it is if that says
 * more than the one without variable parts, such as `404 page not found`. A trait that is unknown is an empty
 * text, and missing at the end. Secrets in the error must already be masked.
 *
 * What failed is the matcher or the action if the error names its target, otherwise the message without variable parts.
 * Only short values count, because longer ones hardly ever repeat.
 */
export function listCauseTraits(error: ReportedText): string[] {
  const reading = readError(error);
  const { action, target, message } = classifyError(error);
  const isTargeted = action !== null && target !== null;
  const traits = [
    takeFirstCharacters(isTargeted ? action : message, ERROR_LIMITS.causeCharacters),
    isTargeted ? takeFirstCharacters(target, ERROR_LIMITS.causeCharacters) : '',
    pickShortValue(reading.received) || findReceivedStatus(reading),
    pickShortValue(reading.expected),
    formatPlace(reading.location),
    isTargeted || reading.received !== null ? '' : pickMessage(error, message),
  ];
  return traits.slice(0, traits.findLastIndex((trait) => trait !== '') + 1);
}

const pickShortValue = (value: string | null): string =>
  value !== null && value.length <= ERROR_LIMITS.causeValueCharacters && !value.includes('\n') ? value : '';

/** With its name, as objects and JSON texts write it. */
const STATUS = /\bstatus(?:Code|_code)?["']?: ?([45]\d\d)\b/;

/** Tests of servers compare whole answers. The status of the received one says more than that the two differ. */
function findReceivedStatus({ diff, received }: ErrorReading): string {
  const lines = (diff ?? []).flatMap(({ op, text }) => (op === '+' ? [text] : []));
  return STATUS.exec([received ?? '', ...lines].join('\n'))?.[1] ?? '';
}

/** Empty if the message has no variable parts. */
function pickMessage(error: ReportedText, message: string): string {
  const { headline } = parseError(error);
  return headline === message ? '' : pickShortValue(headline);
}

/** Machines check out a repository to different folders, so only the last parts of the path count. */
const PATH_PARTS = 3;

function formatPlace(location: ErrorReading['location']): string {
  if (!location) return '';
  const path = location.file.split(/[\\/]/).slice(-PATH_PARTS).join('/');
  return path.length <= ERROR_LIMITS.causeCharacters ? `${path}:${location.line}` : '';
}
