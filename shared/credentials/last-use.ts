/** §5.2 When a token was last used: noted now and then, and never for a token that is gone. */
import { LIMITS } from '../limits.ts';
import { type PersonalToken, personalTokens } from '../resources/personal-token.ts';
import type { Administration } from '../services.ts';

export async function noteUse(
  { table, now }: Pick<Administration, 'table' | 'now'>,
  token: PersonalToken,
): Promise<void> {
  const due = now() - LIMITS.lastUseMilliseconds;
  if (token.lastUsedAt !== undefined && token.lastUsedAt > due) return;
  const stillThere = {
    all: [{ present: 'pk' }, { any: [{ absent: 'lastUsedAt' }, { path: 'lastUsedAt', atMost: due }] }],
  };
  // Without the condition, noting the use of a token that was deleted meanwhile would bring it back.
  await table.update(personalTokens, token, { set: [['lastUsedAt', now()]] }, stillThere);
}
