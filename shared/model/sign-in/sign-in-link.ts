/** A one-time link with which a person signs in. Each account has at most one valid link. */
import type { Entity } from '#shared/engine/table/entity.ts';
import { composeKey } from '#shared/engine/table/keys.ts';
import { loadAttributes, toAttributes } from '#shared/engine/table/stored.ts';

export interface SignInLink {
  /** SHA-256 of the secret, in hex. */
  readonly hash: string;
  readonly accountId: string;
  /** TTL in epoch seconds. */
  readonly expiresAt: number;
}

export const signInLinks: Entity<Pick<SignInLink, 'hash'>, SignInLink> = {
  type: 'sign-in link',
  guarded: true,
  gives: 'access',
  removal: 'apart',
  patterns: [{ question: 'The sign-in link with this secret', of: { hash: 'sha256(secret)' } }],
  key: ({ hash }) => ({ pk: composeKey('LINK', hash), sk: 'LINK' }),
  store: toAttributes,
  load: loadAttributes,
};

/** A new link makes the earlier link invalid. */
export const linkOfAccount: Entity<Pick<SignInLink, 'accountId'>, SignInLink> = {
  type: 'sign-in link, of an account',
  guarded: true,
  removal: 'apart',
  patterns: [{ question: 'The open sign-in link of an account' }],
  key: ({ accountId }) => ({ pk: composeKey('LINKS', accountId), sk: 'LINK' }),
  store: toAttributes,
  load: loadAttributes,
};
