/**
 * Challenges for sign-in with passkeys: the secret that authenticates challenges, and the challenges that were used. A
 * challenge gets a row only when it is used.
 */
import type { Entity } from '#shared/engine/table/entity.ts';
import { composeKey } from '#shared/engine/table/keys.ts';
import { loadAttributes, pick, toAttributes } from '#shared/engine/table/stored.ts';

/** In a single row for the whole service. */
export const challengeSecret: Entity<object, { readonly secret: Uint8Array }> = {
  type: 'challenge secret',
  guarded: true,
  removal: 'apart',
  patterns: [{ question: 'The secret that authenticates challenges' }],
  key: () => ({ pk: 'CHALLENGES', sk: 'SECRET' }),
  store: pick('secret'),
  load: loadAttributes,
};

interface UsedChallenge {
  /** SHA-256 of the challenge, in hex. */
  readonly hash: string;
  /** TTL in epoch seconds, later than the expiry of the challenge. */
  readonly expiresAt: number;
}

export const usedChallenges: Entity<Pick<UsedChallenge, 'hash'>, UsedChallenge> = {
  type: 'used challenge',
  guarded: true,
  removal: 'apart',
  patterns: [{ question: 'Whether a challenge was used', of: { hash: 'sha256(challenge)' } }],
  key: ({ hash }) => ({ pk: composeKey('USED', hash), sk: 'USED' }),
  store: toAttributes,
  load: loadAttributes,
};
