/** The error of a failed or flaky execution, as the read model stores it. */
import type { AttemptError } from '#shared/model/attempt.ts';
import type { StoredError } from './entry.ts';
import { ANALYTICS_LIMITS } from './limits.ts';

export function errorOf({ message }: AttemptError): StoredError {
  const [headline = ''] = message.split('\n').filter((line) => line.trim() !== '');
  return [headline.slice(0, ANALYTICS_LIMITS.messageCharacters), null, null, null];
}
