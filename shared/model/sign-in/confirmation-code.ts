/**
 * A short code with which a person confirms who they are in a browser in which they are signed in. It does not sign
 * anybody in. Each account has at most one.
 */
import type { Entity } from '#shared/engine/table/entity.ts';
import { composeKey } from '#shared/engine/table/keys.ts';
import { loadAttributes, toAttributes } from '#shared/engine/table/stored.ts';

export interface ConfirmationCode {
  readonly accountId: string;
  /** SHA-256 of the code, in hex. */
  readonly hash: string;
  /** How often somebody has entered a code since this one was created. */
  readonly tries: number;
  /** TTL in epoch seconds. */
  readonly expiresAt: number;
}

export const confirmationCodes: Entity<Pick<ConfirmationCode, 'accountId'>, ConfirmationCode> = {
  type: 'confirmation code',
  guarded: true,
  gives: 'access',
  removal: 'apart',
  patterns: [{ question: 'The open confirmation code of an account' }],
  key: ({ accountId }) => ({ pk: composeKey('CODES', accountId), sk: 'CODE' }),
  store: toAttributes,
  load: loadAttributes,
};
