/** Lets oidc-provider sign tokens with a key that never leaves KMS. */
import { createPublicKey, type KeyObject } from 'node:crypto';
import { ExternalSigningKey } from 'oidc-provider';
import type { IssuerKey } from '#shared/model/oauth/issuer-keys.ts';

export const SIGNING_ALGORITHM = 'ES256';

/** Returns the signature in the format of RFC 7518: two numbers of 32 bytes each. */
export type Sign = (keyId: string, bytes: Uint8Array) => Promise<Uint8Array>;

export class Signer extends ExternalSigningKey {
  readonly #key: IssuerKey;
  readonly #sign: Sign;

  constructor(key: IssuerKey, sign: Sign) {
    super();
    this.#key = key;
    this.#sign = sign;
  }

  override get kid(): string {
    return this.#key.kid;
  }

  override get alg(): string {
    return SIGNING_ALGORITHM;
  }

  override keyObject(): KeyObject {
    const { x, y } = this.#key;
    return createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' });
  }

  override sign(data: Uint8Array): Promise<Uint8Array> {
    return this.#sign(this.#key.keyId, data);
  }
}
