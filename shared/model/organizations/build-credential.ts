/** A credential with which the jobs of one CI build record for an hour, stored under the hash of its value. */
import type { Entity } from '#shared/engine/table/entity.ts';
import { composeKey } from '#shared/engine/table/keys.ts';
import { loadAttributes, toAttributes } from '#shared/engine/table/stored.ts';
import type { CiBuild } from '#shared/model/runs/origin.ts';

export interface BuildCredential {
  /** SHA-256 of the value, in hex. */
  readonly hash: string;
  readonly organizationId: string;
  readonly build: CiBuild;
  /** TTL in epoch seconds. */
  readonly expiresAt: number;
}

export const buildCredentials: Entity<Pick<BuildCredential, 'hash'>, BuildCredential> = {
  type: 'build credential',
  guarded: true,
  gives: 'access',
  removal: 'apart',
  patterns: [{ question: 'The build credential with this value', of: { hash: 'sha256(value)' } }],
  key: ({ hash }) => ({ pk: composeKey('BUILDKEY', hash), sk: 'KEY' }),
  store: toAttributes,
  load: loadAttributes,
};
