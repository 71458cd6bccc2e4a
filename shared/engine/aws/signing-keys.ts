/** Signing keys that never leave KMS. */

import { createPublicKey } from 'node:crypto';
import { GetPublicKeyCommand, KMSClient, SignCommand } from '@aws-sdk/client-kms';
import { makeSdkConfiguration } from '#shared/engine/sdk-connection.ts';
import { P256, plainSignature } from './der-signature.ts';

/** The coordinates of a P-256 public key, as in a JWK. */
export interface PublicPoint {
  readonly x: string;
  readonly y: string;
}

const KMS_LIMITS = { attempts: 3, connectMilliseconds: 1000, callMilliseconds: 5000 };

export class SigningKeys {
  /** ARNs of this deployment's keys. */
  readonly ids: readonly string[];
  readonly #client = new KMSClient(makeSdkConfiguration(KMS_LIMITS));

  constructor(ids: readonly string[]) {
    this.ids = ids;
  }

  async publicPointOf(id: string): Promise<PublicPoint> {
    const { PublicKey } = await this.#client.send(new GetPublicKeyCommand({ KeyId: id }));
    const key = createPublicKey({ key: Buffer.from(PublicKey ?? []), format: 'der', type: 'spki' });
    const { crv, x, y } = key.export({ format: 'jwk' });
    if (crv !== 'P-256' || x === undefined || y === undefined)
      throw new Error(`The key ${id} does not use the curve P-256. Replace it with a key of the spec ECC_NIST_P256`);
    return { x, y };
  }

  /** Signs with ES256. KMS returns DER, which is converted to the two numbers of 32 bytes of RFC 7518. */
  async sign(id: string, bytes: Uint8Array): Promise<Uint8Array> {
    const { Signature } = await this.#client.send(
      new SignCommand({ KeyId: id, Message: bytes, MessageType: 'RAW', SigningAlgorithm: 'ECDSA_SHA_256' }),
    );
    return plainSignature(Signature ?? new Uint8Array(), P256);
  }
}
