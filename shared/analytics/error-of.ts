/** The error of a failed or flaky execution, as the read model stores it. */
import { classifyError } from '#shared/errors/classify.ts';
import type { AttemptError } from '#shared/model/attempt.ts';
import type { StoredError } from './entry.ts';

export function errorOf(error: AttemptError): StoredError {
  const { message, target, action, category } = classifyError(error);
  return [message, target, action, category];
}
