/**
 * A passkey with which a person signs in. Access patterns: by the hash of its credential id; all passkeys of an
 * account.
 */
import { beginningWith, type Entity } from '#shared/engine/table/entity.ts';
import { composed, instantKey, prefix } from '#shared/engine/table/keys.ts';
import { attributesOf, pick, stored } from '#shared/engine/table/stored.ts';

export interface Passkey {
  /** SHA-256 of the credential id, in hex. */
  readonly hash: string;
  readonly passkeyId: string;
  readonly accountId: string;
  /** The id that the authenticator chose, as base64url. */
  readonly credentialId: string;
  /** The public key in COSE format. */
  readonly publicKey: Uint8Array;
  /** The signature counter of the authenticator. Always 0 for synced passkeys. */
  readonly counter: number;
  /** The name that the owner chose. */
  readonly name: string;
  /** Creation time, in epoch milliseconds. */
  readonly createdAt: number;
  /** When the owner last signed in or confirmed their identity with the passkey, in epoch milliseconds. */
  readonly lastUsedAt?: number;
}

export const passkeys: Entity<Pick<Passkey, 'hash'>, Passkey> = {
  type: 'passkey',
  guarded: true,
  gives: 'access',
  removal: 'apart',
  patterns: [
    { question: 'The passkey with this credential id', key: 'pk = PASSKEY#sha256(credential id), sk = PASSKEY' },
  ],
  key: ({ hash }) => ({ pk: composed('PASSKEY', hash), sk: 'PASSKEY' }),
  store: attributesOf,
  load: stored,
};

type Listed = Pick<Passkey, 'accountId' | 'passkeyId' | 'createdAt' | 'hash'>;

/**
 * An entry in the list of an account's passkeys. The passkey itself is stored once, under the hash of its credential
 * id.
 */
export const passkeysOfAccount: Entity<Listed, Listed> = {
  type: 'passkey, listed',
  guarded: true,
  removal: 'apart',
  patterns: [{ question: 'Passkeys of an account', key: 'pk = PASSKEYS#account, sk = PASSKEY#createdAt#passkey' }],
  key: ({ accountId, passkeyId, createdAt }) => ({
    pk: composed('PASSKEYS', accountId),
    sk: composed('PASSKEY', instantKey(createdAt), passkeyId),
  }),
  store: pick('accountId', 'passkeyId', 'createdAt', 'hash'),
  load: stored,
};

export const passkeysSpan = ({ accountId }: Pick<Passkey, 'accountId'>) =>
  beginningWith(composed('PASSKEYS', accountId), prefix('PASSKEY'));
