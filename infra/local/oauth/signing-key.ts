/** The issuer's signing key, kept so that tokens outlive a restart. */
import { exportJWK, generateKeyPair } from 'jose';
import * as z from 'zod';
import { CannotStart } from '../cannot-start.ts';
import { readIfThere, replaceFile } from '../data-directory.ts';

const SigningKey = z.object({
  kty: z.literal('EC'),
  crv: z.literal('P-256'),
  x: z.string(),
  y: z.string(),
  d: z.string(),
});
type SigningKey = z.infer<typeof SigningKey>;

export const SIGNING_ALGORITHM = 'ES256';

/** Reads the key, or makes one. Without a file it lasts as long as the process. */
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
    throw new CannotStart(
      `The signing key of the OAuth issuer in ${file} is damaged. Delete the file and start again: access tokens that it signed end, everything else stays.`,
    );
  }
}
