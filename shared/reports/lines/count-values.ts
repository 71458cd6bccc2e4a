/** Counts the values of a JSON line before it is parsed, to limit the work. */
import { BACKSLASH, BRACE, BRACKET, COMMA, QUOTE } from '#shared/engine/json-bytes.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';

/** Ignores punctuation inside strings. A container counts as several values. */
export function countValues(line: Buffer): number {
  let isText = false;
  let values = 0;
  for (let at = 0; at < line.length; at += 1) {
    const byte = line[at];
    if (byte === QUOTE) {
      isText = !isText;
      // A string counts as an additional value, because each string takes memory and time of its own.
      if (isText) values += 1;
    }
    if (isText && byte === BACKSLASH) at += 1;
    else if (isText) continue;
    else if (byte === COMMA) values += 1;
    else if (byte === BRACKET || byte === BRACE) values += REPORT_LIMITS.work.jsonContainer;
  }
  return values;
}
