/**
 * A minimal KMS: GetPublicKey and Sign with P-256 keys, which are created on first use. If a file is given, the keys
 * survive a restart.
 */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type JsonWebKey, sign } from 'node:crypto';
import * as z from 'zod';
import { readData, replaceFile } from '#infra/local/host/data-directory.ts';
import { type Engine, type JsonAnswer, serveJsonEngine } from './engine.ts';

const Keys = z.record(z.string(), z.looseObject({ kty: z.literal('EC'), d: z.string() }));

const Call = z.object({ KeyId: z.string(), Message: z.base64().default('') });

/** Starts the embedded KMS. Throws `CannotStart` if the file is damaged. */
export async function startKms(file: string | undefined): Promise<Engine> {
  const keys: Record<string, JsonWebKey> = (file === undefined ? undefined : await readData(file, Keys, FIX)) ?? {};
  const keyOf = async (id: string): Promise<JsonWebKey> => {
    const known = keys[id];
    if (known) return known;
    const made = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
    keys[id] = made;
    if (file !== undefined) await replaceFile(file, keys);
    return made;
  };
  const answer = async (target: string, body: string): Promise<JsonAnswer> => {
    const { KeyId, Message } = Call.parse(JSON.parse(body));
    const key = createPrivateKey({ key: await keyOf(KeyId), format: 'jwk' });
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
