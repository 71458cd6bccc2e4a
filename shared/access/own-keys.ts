/** §5.3 The public keys of our own authorization server, from the row that it writes. */
import { createPublicKey, type KeyObject } from 'node:crypto';
import { errors, type JWTVerifyGetKey } from 'jose';
import { issuerKeys } from '#shared/model/organizations/issuer-keys.ts';
import type { CoreServices } from '#shared/services.ts';
import { ACCESS_LIMITS } from './limits.ts';

type Services = Pick<CoreServices, 'table' | 'now'>;

/** Caches the keys. An unknown key id causes another read, but at most one per pause, so forged ids cost little. */
export class OwnKeys {
  #keys: ReadonlyMap<string, KeyObject> = new Map();
  #readAt = 0;

  in(services: Services): JWTVerifyGetKey {
    return async ({ kid = '' }) => {
      const age = services.now() - this.#readAt;
      if (this.#keys.size === 0 || age >= ACCESS_LIMITS.issuerKeysMilliseconds) await this.#read(services);
      else if (!this.#keys.has(kid) && age >= ACCESS_LIMITS.issuerPauseMilliseconds) await this.#read(services);
      const key = this.#keys.get(kid);
      if (!key) throw new errors.JWKSNoMatchingKey();
      return key;
    };
  }

  async #read({ table, now }: Services): Promise<void> {
    const row = await table.get(issuerKeys, {}, { consistent: true });
    this.#readAt = now();
    this.#keys = new Map(
      (row?.keys ?? []).map(({ kid, x, y }) => [
        kid,
        createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' }),
      ]),
    );
  }
}
