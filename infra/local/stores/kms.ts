/** A minimal KMS with P-256 keys, which are created on first use and survive a restart if a file is given. */

import { createPrivateKey, createPublicKey, generateKeyPairSync, type JsonWebKey, sign } from 'node:crypto';
import * as z from 'zod';
import { readData, replaceFile } from '#infra/local/host/json-files.ts';
import { type Engine, type JsonAnswer, serveJsonEngine } from './engine.ts';

const Keys = z.record(z.string(), z.looseObject({ kty: z.literal('EC'), d: z.string() }));

const Call = z.object({ KeyId: z.string(), Message: z.base64().default('') });

/** Starts the embedded KMS. Throws `CannotStart` if the file is damaged. */
export async function startKms(file: string | undefined): Promise<Engine> {
  const keys: Record<string, JsonWebKey> = (file === undefined ? undefined : await readData(file, Keys, FIX)) ?? {};
  const ensureKey = async (id: string): Promise<JsonWebKey> => {
    const storedKey = keys[id];
    if (storedKey) return storedKey;
    const newKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
    keys[id] = newKey;
    if (file !== undefined) await replaceFile(file, keys);
    return newKey;
  };
  const answer = async (target: string, body: string): Promise<JsonAnswer> => {
    const { KeyId, Message } = Call.parse(JSON.parse(body));
    const key = createPrivateKey({ key: await ensureKey(KeyId), format: 'jwk' });
    switch (target) {
      case 'TrentService.GetPublicKey': {
        const PublicKey = createPublicKey(key).export({ format: 'der', type: 'spki' }).toString('base64');
        return [200, { KeyId, PublicKey, KeySpec: 'ECC_NIST_P256', KeyUsage: 'SIGN_VERIFY' }];
      }
      case 'TrentService.Sign': {
        const Signature = sign('sha256', Buffer.from(Message, 'base64'), key).toString('base64');
        return [200, { KeyId, Signature, SigningAlgorithm: 'ECDSA_SHA_256' }];
      }
      default:
        return UNSUPPORTED;
    }
  };
  return serveJsonEngine(answer, () => UNSUPPORTED);
}

const UNSUPPORTED: JsonAnswer = [400, { __type: 'UnsupportedOperationException' }];
const FIX =
  'Delete it and start again: access tokens that were signed with these keys become invalid, but nothing else is lost';
