/** The texts that a browser's passkey functions return, as `credential.toJSON()` writes them. */
import * as z from 'zod';
import { SIGN_IN_LIMITS } from './limits.ts';

const bytes = z
  .string()
  .max(SIGN_IN_LIMITS.credentialCharacters)
  .regex(/^[\w-]*$/);

const credential = { id: bytes, rawId: bytes, type: z.literal('public-key'), clientExtensionResults: z.object({}) };

const Assertion = z.object({
  ...credential,
  response: z.object({
    clientDataJSON: bytes,
    authenticatorData: bytes,
    signature: bytes,
    userHandle: bytes.optional(),
  }),
});

const Attestation = z.object({
  ...credential,
  response: z.object({ clientDataJSON: bytes, attestationObject: bytes }),
});

export const assertionFrom = (text: string) => readFrom(Assertion, text);
export const attestationFrom = (text: string) => readFrom(Attestation, text);

/** Returns `undefined` for every other text. */
function readFrom<Schema extends z.ZodType>(schema: Schema, text: string): z.output<Schema> | undefined {
  return z.string().max(SIGN_IN_LIMITS.credentialCharacters).transform(parsed).pipe(schema).safeParse(text).data;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The challenge that a credential signed, as its client data states it. The signature covers the client data. */
export function challengeIn({ clientDataJSON }: { readonly clientDataJSON: string }): string {
  const data = z
    .object({ challenge: z.string() })
    .safeParse(parsed(Buffer.from(clientDataJSON, 'base64url').toString()));
  return data.data?.challenge ?? '';
}
