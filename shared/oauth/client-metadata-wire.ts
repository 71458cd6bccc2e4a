/** §5.3 Metadata that a client may send. Other members are dropped: some would make this service fetch URLs. */
import * as z from 'zod';
import { makeVisibleLine, takeFirstCharacters } from '#shared/engine/plain-text.ts';
import { OAUTH_LIMITS } from './limits.ts';
import { findRedirectUriProblem, normalizeRedirectUri } from './redirect-uri.ts';

const { redirectUris, uriCharacters, clientNameCharacters } = OAUTH_LIMITS;

const RedirectUri = z
  .string()
  .max(uriCharacters, `must have at most ${uriCharacters} characters`)
  .superRefine((text, { addIssue }) => {
    const message = findRedirectUriProblem(text);
    if (message !== undefined) addIssue(message);
  })
  .transform(normalizeRedirectUri);

const ClientMetadata = z.object({
  client_name: z
    .string()
    .transform((name) => takeFirstCharacters(makeVisibleLine(name), clientNameCharacters))
    .optional(),
  redirect_uris: z
    .array(RedirectUri)
    .min(1, 'must contain a URI')
    .max(redirectUris, `must contain at most ${redirectUris} URIs`),
});

/** By these members, oidc-provider refuses documents of another client, with secrets, or of authenticating clients. */
const Document = ClientMetadata.extend({
  client_id: z.string(),
  token_endpoint_auth_method: z.string().optional(),
  client_secret: z.unknown().optional(),
  client_secret_expires_at: z.unknown().optional(),
});

export type MetadataResult =
  | { readonly ok: true; readonly metadata: object }
  | { readonly ok: false; readonly error: string; readonly description: string };

/** Without `token_endpoint_auth_method: none`, oidc-provider would issue a client secret. */
const Registration = ClientMetadata.transform((metadata) => ({ ...metadata, token_endpoint_auth_method: 'none' }));

/** Parses the body of a registration request (RFC 7591). */
export const cleanRegistration = (text: string): MetadataResult => cleanMetadata(Registration, text);

export const cleanDocument = (text: string): MetadataResult => cleanMetadata(Document, text);

function cleanMetadata(schema: z.ZodType<object>, text: string): MetadataResult {
  const { data, error } = schema.safeParse(parseJson(text));
  if (data) return { ok: true, metadata: data };
  const [issue] = error.issues;
  const place = issue?.path.join('.') ?? '';
  const isUri = place.startsWith('redirect_uris');
  return {
    ok: false,
    error: isUri ? 'invalid_redirect_uri' : 'invalid_client_metadata',
    description: place === '' ? 'The client metadata is not a JSON object. Send one' : `${place} ${issue?.message}`,
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A cached metadata document, or the fact that the document could not be read. */
export const KeptDocument = z.object({
  /** The metadata document. Absent if there is no usable document. */
  metadata: z.string().optional(),
  /** When to read the document again, in epoch milliseconds. */
  until: z.number(),
});
export type KeptDocument = z.infer<typeof KeptDocument>;
