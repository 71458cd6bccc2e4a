/** Errors as Playwright writes them into its JSON and blob reports. */
import * as z from 'zod';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import type { AttemptError } from '#shared/model/results/attempt.ts';
import { buildAttemptError } from '#shared/reports/error-texts.ts';
import { numberField, orNull, textField } from '#shared/reports/json-fields-wire.ts';

export const PlaywrightError = z.object({
  message: textField,
  value: textField,
  stack: textField,
  snippet: textField,
  location: orNull(
    z.object({ file: z.string().max(MODEL_LIMITS.specCharacters), line: numberField, column: numberField }),
  ),
});
export type PlaywrightError = z.output<typeof PlaywrightError>;

export function convertPlaywrightError({ message, value, stack, snippet, location }: PlaywrightError): AttemptError {
  const error = buildAttemptError({ message: message || value, stack, snippet, spec: '' });
  const { file = '', line = 0, column = 0 } = location ?? {};
  return { ...error, location: file === '' ? null : { file: file.toWellFormed(), line, column } };
}
