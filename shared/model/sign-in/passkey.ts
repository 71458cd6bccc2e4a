/** A passkey with which a person signs in. */
import { type Entity, getPrefixSpan } from '#shared/engine/table/entity.ts';
import { composeKey, composePrefix, encodeInstant } from '#shared/engine/table/keys.ts';
import { loadAttributes, pick, toAttributes } from '#shared/engine/table/stored.ts';

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
  patterns: [{ question: 'The passkey with this credential id', of: { hash: 'sha256(credential id)' } }],
  key: ({ hash }) => ({ pk: composeKey('PASSKEY', hash), sk: 'PASSKEY' }),
  store: toAttributes,
  load: loadAttributes,
};

type PasskeyEntry = Pick<Passkey, 'accountId' | 'passkeyId' | 'createdAt' | 'hash'>;

/** The passkey itself is stored once, under the hash of its credential id. */
export const passkeysOfAccount: Entity<PasskeyEntry, PasskeyEntry> = {
  type: 'passkey, listed',
  guarded: true,
  removal: 'apart',
  patterns: [{ question: 'Passkeys of an account' }],
  key: ({ accountId, passkeyId, createdAt }) => ({
    pk: composeKey('PASSKEYS', accountId),
    sk: composeKey('PASSKEY', encodeInstant(createdAt), passkeyId),
  }),
  store: pick('accountId', 'passkeyId', 'createdAt', 'hash'),
  load: loadAttributes,
};

export const getPasskeysSpan = ({ accountId }: Pick<Passkey, 'accountId'>) =>
  getPrefixSpan(composeKey('PASSKEYS', accountId), composePrefix('PASSKEY'));
