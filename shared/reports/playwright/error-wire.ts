/** Errors as Playwright writes them into its JSON and blob reports. */
import * as z from 'zod';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import type { AttemptError } from '#shared/model/tests/attempt.ts';
import { errorOf } from '#shared/reports/error-texts.ts';
import { number, text } from '#shared/reports/json-fields-wire.ts';

const Location = z.object({ file: z.string().max(MODEL_LIMITS.specCharacters), line: number, column: number });

export const WireError = z.object({
  message: text,
  value: text,
  stack: text,
  snippet: text,
  location: Location.nullish().catch(null),
});
export type WireError = z.output<typeof WireError>;

export function toError({ message, value, stack, snippet, location }: WireError): AttemptError {
  const error = errorOf({ message: message || value, stack, snippet, spec: '' });
  const { file = '', line = 0, column = 0 } = location ?? {};
  return { ...error, location: file === '' ? null : { file: file.toWellFormed(), line, column } };
}
