/** §5.3 The keys of access tokens that this service issues itself. */

import { createPublicKey, type KeyObject } from 'node:crypto';
import { errors, type JWTVerifyGetKey } from 'jose';
import { issuerKeys } from '#shared/model/oauth/issuer-keys.ts';
import type { WithClock } from '#shared/services.ts';
import { ACCESS_LIMITS } from './limits.ts';

/**
 * Reads the public keys of our own authorization server from the table, and caches them. An unknown key id causes
 * another read, but at most one per `issuerPauseMilliseconds`, so forged key ids cost little.
 */
export class OwnKeys {
  #keys: ReadonlyMap<string, KeyObject> = new Map();
  #readAt = 0;

  makeKeyGetter(services: WithClock): JWTVerifyGetKey {
    return async ({ kid = '' }) => {
      const age = services.now() - this.#readAt;
      const { issuerKeysMilliseconds, issuerPauseMilliseconds } = ACCESS_LIMITS;
      const longestAge = this.#keys.has(kid) ? issuerKeysMilliseconds : issuerPauseMilliseconds;
      if (age >= longestAge) await this.#read(services);
      const key = this.#keys.get(kid);
      if (!key) throw new errors.JWKSNoMatchingKey();
      return key;
    };
  }

  async #read({ table, now }: WithClock): Promise<void> {
    const row = await table.get(issuerKeys, {}, { consistent: true });
    this.#readAt = now();
    const { keys = [] } = row ?? {};
    this.#keys = new Map(keys.map(({ kid, x, y }) => [kid, toKeyObject(x, y)]));
  }
}

const toKeyObject = (x: string, y: string): KeyObject =>
  createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' });
