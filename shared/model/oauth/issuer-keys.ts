/** §5.3 The public keys of our own authorization server, in one row, with the secret of its renewals. */
import type { Entity } from '#shared/engine/table/entity.ts';
import { loadAttributes, toAttributes } from '#shared/engine/table/stored.ts';

export interface IssuerKey {
  /** RFC 7638 thumbprint of the key. */
  readonly kid: string;
  /** The id of the key in KMS. */
  readonly keyId: string;
  /** The coordinates of the public key on P-256. */
  readonly x: string;
  readonly y: string;
  /** When the key was first published, in epoch milliseconds. */
  readonly firstSeenAt: number;
  /** When the key was first found missing from the deployment, in epoch milliseconds. */
  readonly removedAt?: number;
}

export interface IssuerKeys {
  readonly keys: readonly IssuerKey[];
  /** Refresh tokens are derived from their used predecessors with this secret. Absent in rows of release 0.2.0. */
  readonly renewalSecret?: string;
  /** Optimistic lock: incremented by each change, so that concurrent changes are refused. */
  readonly version: number;
}

export const issuerKeys: Entity<object, IssuerKeys> = {
  type: 'issuer keys',
  guarded: true,
  removal: 'apart',
  patterns: [{ question: 'The public keys of the authorization server' }],
  key: () => ({ pk: 'ISSUER', sk: 'KEYS' }),
  store: toAttributes,
  load: loadAttributes,
};
