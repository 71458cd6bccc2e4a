/** The issuer's signing key, stored so that tokens survive a restart. */
import { exportJWK, generateKeyPair } from 'jose';
import * as z from 'zod';
import { damaged } from '#infra/local/host/damaged-file.ts';
import { readIfThere, replaceFile } from '#infra/local/host/data-directory.ts';

const SigningKey = z.object({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: z.string(),
  y: z.string(),
  d: z.string(),
});
type SigningKey = z.infer<typeof SigningKey>;

export const SIGNING_ALGORITHM = 'ES256';

/** Reads the key or creates one. Without a file it exists in memory only. */
export async function signingKey(file: string | undefined): Promise<SigningKey> {
  if (file === undefined) return newKey();
  const text = await readIfThere(file);
  if (text !== undefined) return keyIn(text, file);
  const key = await newKey();
  await replaceFile(file, key);
  return key;
}

async function newKey(): Promise<SigningKey> {
  const { privateKey } = await generateKeyPair(SIGNING_ALGORITHM, { extractable: true });
  return SigningKey.parse(await exportJWK(privateKey));
}

function keyIn(text: string, file: string): SigningKey {
  try {
    return SigningKey.parse(JSON.parse(text));
  } catch {
    throw damaged(file, 'Delete it and start again: access tokens that it signed end, everything else stays.');
  }
}
