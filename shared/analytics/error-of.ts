/** The error of a failed or flaky execution, as the read model stores it. */
import { maskedText } from '#shared/context/masking.ts';
import { classifyError } from '#shared/errors/classify.ts';
import type { AttemptError } from '#shared/model/attempt.ts';
import type { StoredError } from './entry.ts';

/** Secrets are masked first, because their variable parts would be replaced, and no shape would match the rest. */
export function errorOf(error: AttemptError): StoredError {
  const { message, target, action, category } = classifyError({ ...error, message: maskedText(error.message) });
  return [message, target, action, category];
}
