/** What the passkey API of a browser returns: the JSON of `credential.toJSON()`. */
import * as z from 'zod';
import { SIGN_IN_LIMITS } from './limits.ts';

const bytes = z
  .string()
  .max(SIGN_IN_LIMITS.credentialCharacters)
  .regex(/^[\w-]*$/);

/** Other sites cannot frame our pages, so a passkey that was used in a frame of another site is refused. */
const ClientData = z.object({
  challenge: z.string(),
  crossOrigin: z.literal(false).optional(),
  topOrigin: z.never().optional(),
});

const parseClientData = (text: string) =>
  ClientData.safeParse(parseJson(Buffer.from(text, 'base64url').toString())).data;
const clientDataJSON = bytes.refine((text) => parseClientData(text) !== undefined);

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

const json = z.string().max(SIGN_IN_LIMITS.credentialCharacters).transform(parseJson);

/** Parses JSON text. Returns `undefined` for invalid text. */
export const parseAssertion = (text: string) => json.pipe(Assertion).safeParse(text).data;
export const parseAttestation = (text: string) => json.pipe(Attestation).safeParse(text).data;

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The challenge in the client data of a credential. The signature covers the client data. */
export const getChallenge = ({ clientDataJSON }: { readonly clientDataJSON: string }): string =>
  parseClientData(clientDataJSON)?.challenge ?? '';
