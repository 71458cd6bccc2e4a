/**
 * A minimal KMS: GetPublicKey and Sign with P-256 keys, which are created on first use. If a file is given, the keys
 * survive a restart.
 */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type JsonWebKey, sign } from 'node:crypto';
import { createServer, type IncomingMessage } from 'node:http';
import * as z from 'zod';
import { damaged } from '#infra/local/host/damaged-file.ts';
import { readIfThere, replaceFile } from '#infra/local/host/data-directory.ts';
import { bind, closeServer, LOOPBACK, portOf } from '#infra/local/host/loopback.ts';
import type { Engine } from './engine.ts';

const Keys = z.record(z.string(), z.looseObject({ kty: z.literal('EC'), d: z.string() }));
type Keys = Record<string, JsonWebKey>;

const Call = z.object({ KeyId: z.string(), Message: z.base64().optional() });

/** Starts the embedded KMS. Throws `CannotStart` if the file is damaged. */
export async function startKms(file: string | undefined): Promise<Engine> {
  const keys = await keysIn(file);
  const keyOf = async (id: string): Promise<JsonWebKey> => {
    const known = keys[id];
    if (known) return known;
    const made = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' });
    keys[id] = made;
    if (file !== undefined) await replaceFile(file, keys);
    return made;
  };
  const server = createServer(async (request, response) => {
    const answer = await answerTo(request, keyOf).catch(() => undefined);
    response.writeHead(answer ? 200 : 400, { 'Content-Type': 'application/x-amz-json-1.1' });
    response.end(JSON.stringify(answer ?? { __type: 'UnsupportedOperationException' }));
  });
  await bind(server, 0);
  return { endpoint: `http://${LOOPBACK}:${portOf(server)}`, close: () => closeServer(server) };
}

async function answerTo(request: IncomingMessage, keyOf: (id: string) => Promise<JsonWebKey>) {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const { data } = Call.safeParse(JSON.parse(Buffer.concat(chunks).toString() || 'null'));
  if (!data) return undefined;
  const { KeyId, Message = '' } = data;
  const key = createPrivateKey({ key: await keyOf(KeyId), format: 'jwk' });
  switch (request.headers['x-amz-target']) {
    case 'TrentService.GetPublicKey': {
      const PublicKey = createPublicKey(key).export({ format: 'der', type: 'spki' }).toString('base64');
      return { KeyId, PublicKey, KeySpec: 'ECC_NIST_P256', KeyUsage: 'SIGN_VERIFY' };
    }
    case 'TrentService.Sign': {
      const Signature = sign('sha256', Buffer.from(Message, 'base64'), key).toString('base64');
      return { KeyId, Signature, SigningAlgorithm: 'ECDSA_SHA_256' };
    }
    default:
      return undefined;
  }
}

async function keysIn(file: string | undefined): Promise<Keys> {
  const text = file === undefined ? undefined : await readIfThere(file);
  if (text === undefined || file === undefined) return {};
  try {
    return Keys.parse(JSON.parse(text));
  } catch {
    throw damaged(
      file,
      'Delete it and start again: access tokens that were signed with these keys become invalid, but nothing else is lost',
    );
  }
}
