/** An error as pages and lists show it: masked, limited in length, and parsed into its parts. */
import { type ErrorReading, readError } from '#shared/errors/read-error.ts';
import { maskBeginning } from '#shared/masking/masking.ts';
import type { AttemptError } from '#shared/model/results/attempt.ts';
import { CONTEXT_LIMITS } from './limits.ts';

/** Texts are masked before they are cut, because a cut secret may not be recognized as a secret. */
export function readShownError({ message, stack, snippet }: AttemptError): ErrorReading {
  const most = CONTEXT_LIMITS.readCharacters;
  const maskOptionalText = (text: string | null) => (text === null ? null : maskBeginning(text, most));
  return readError({
    message: maskBeginning(message, most),
    stack: maskOptionalText(stack),
    snippet: maskOptionalText(snippet),
  });
}
