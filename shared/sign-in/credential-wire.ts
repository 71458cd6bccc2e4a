/** The texts that a browser's passkey functions return, as `credential.toJSON()` writes them. */
import * as z from 'zod';
import { SIGN_IN_LIMITS } from './limits.ts';

const bytes = z
  .string()
  .max(SIGN_IN_LIMITS.credentialCharacters)
  .regex(/^[\w-]*$/);

/** No page of the service opens in a frame of another site, so a passkey that was used in one is refused. */
const ClientData = z.object({
  challenge: z.string(),
  crossOrigin: z.literal(false).optional(),
  topOrigin: z.never().optional(),
});

const clientDataIn = (text: string) => ClientData.safeParse(parsed(Buffer.from(text, 'base64url').toString())).data;
const clientDataJSON = bytes.refine((text) => clientDataIn(text) !== undefined);

const credential = { id: bytes, rawId: bytes, type: z.literal('public-key'), clientExtensionResults: z.object({}) };

const Assertion = z.object({
  ...credential,
  response: z.object({
    clientDataJSON,
    authenticatorData: bytes,
    signature: bytes,
    userHandle: bytes.optional(),
  }),
});

const Attestation = z.object({
  ...credential,
  response: z.object({ clientDataJSON, attestationObject: bytes }),
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
export const challengeIn = ({ clientDataJSON }: { readonly clientDataJSON: string }): string =>
  clientDataIn(clientDataJSON)?.challenge ?? '';
