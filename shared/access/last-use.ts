/**
 * §5.2 Records when a personal token was last used, at most once per interval. Concurrent requests may each record it.
 */

import { type PersonalToken, personalTokens } from '#shared/model/organizations/personal-token.ts';
import type { CoreServices } from '#shared/services.ts';
import { ACCESS_LIMITS } from './limits.ts';

export async function recordUse(
  { table, now }: Pick<CoreServices, 'table' | 'now'>,
  token: PersonalToken,
): Promise<void> {
  const due = now() - ACCESS_LIMITS.lastUseMilliseconds;
  if ((token.lastUsedAt ?? 0) > due) return;
  // Conditional write: an unconditional update would recreate a token that was just deleted.
  await table.update(personalTokens, token, { set: [['lastUsedAt', now()]] }, { present: 'pk' });
}
