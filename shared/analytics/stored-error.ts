/** The error of a failed or flaky execution, as the read model stores it. */
import { classifyError } from '#shared/errors/classify.ts';
import { maskText } from '#shared/masking/masking.ts';
import type { AttemptError } from '#shared/model/results/attempt.ts';
import type { StoredError } from './entry.ts';

/** Secrets are masked first: what classification leaves of a secret would not match any known format of secrets. */
export function toStoredError(error: AttemptError): StoredError {
  const { message, target, action, category } = classifyError({ ...error, message: maskText(error.message) });
  return [message, target, action, category];
}
