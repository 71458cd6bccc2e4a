/**
 * Converts a proxy event to the request that a handler gets. First determines the actor (401, 403 and 429), and then
 * validates the parts of the request (400).
 */
import * as z from 'zod';
import type { ApiActor } from '#shared/access/actor.ts';
import { errorFor, isDenial } from '#shared/access/denial.ts';
import { badEncoding, invalidRequest, unauthorized } from '#shared/engine/errors.ts';
import { codingOf, decodeBody, encodedBody, sentBytes } from '#shared/engine/http/body.ts';
import { header, type ProxyEvent } from '#shared/engine/http/event.ts';
import { formFields } from '#shared/engine/http/form.ts';
import { memberNameOf, problemOfIssue } from '#shared/engine/http/problem.ts';
import { ROLES } from '#shared/model/organizations/membership.ts';
import { PERMISSIONS, SCOPES } from '#shared/model/organizations/permissions.ts';
import { excessIn, limitExceeded } from '#shared/usage/errors.ts';

const ActorContext: z.ZodType<ApiActor> = z.union([
  z.object({
    kind: z.literal('apiKey'),
    organizationId: z.string().min(1),
    keyId: z.string().min(1),
    label: z.string(),
    level: z.enum(['readOnly', 'readWrite']),
  }),
  z.object({
    kind: z.literal('personalToken'),
    organizationId: z.string().min(1),
    tokenId: z.string().min(1),
    accountId: z.string().min(1),
    permissions: z.array(z.enum(PERMISSIONS)),
  }),
  z.object({
    kind: z.literal('accessToken'),
    organizationId: z.string().min(1),
    tokenId: z.string().min(1),
    accountId: z.string().min(1),
    clientId: z.string().min(1),
    permissions: z.array(z.enum(SCOPES)),
    role: z.enum(ROLES),
  }),
]);
const AuthorizerContext = z.object({
  actor: z.string(),
  denial: z.string().refine(isDenial).optional(),
  excess: z.string().optional(),
});

/**
 * Reads the actor from the authorizer's context. Refuses the request if there is no context, because the route is then
 * not protected by the authorizer.
 */
export function actorFromContext(event: ProxyEvent): ApiActor {
  const context = AuthorizerContext.safeParse(event.requestContext.authorizer);
  if (!context.success) throw unauthorized();
  const excess = excessIn(context.data.excess);
  if (excess) throw limitExceeded(excess);
  if (context.data.denial) throw errorFor(context.data.denial);
  return ActorContext.parse(JSON.parse(context.data.actor));
}

/** Replaces the body of the event with the form fields. */
export function parseForm(event: ProxyEvent): void {
  Object.assign(event, {
    body: formFields(encodedBody(event), header(event, 'content-type')),
    isBase64Encoded: false,
  });
}

/**
 * Replaces the body of the event with its bytes. A compressed file is not decompressed, even if a header declares the
 * compression.
 */
export function takeBytes(event: ProxyEvent): void {
  const encoded = encodedBody(event);
  if (codingOf(encoded) === undefined) throw badEncoding();
  Object.assign(event, { body: sentBytes(encoded), isBase64Encoded: false });
}

/** Replaces the body of the event with text for the JSON parser, which handles neither gzip nor a missing body. */
export function decodeRequestBody(event: ProxyEvent): void {
  const text = decodeBody(encodedBody(event));
  if (text === undefined) throw invalidRequest('The request has no body. Send one JSON object');
  Object.assign(event, { body: text, isBase64Encoded: false });
}

/**
 * Validates a part of the request. Throws 400 with a message that names the first few invalid parameters and says what
 * they must be. `placeOf` returns the path of a parameter, spelled as in the request.
 */
export function validated<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  placeOf = (path: readonly PropertyKey[]) => path,
): z.output<Schema> {
  const result = schema.safeParse(value, { error: problemOfIssue });
  if (result.success) return result.data;
  const issues = result.error.issues.slice(0, REPORTED_PROBLEMS);
  const problems = issues.map(
    ({ path, message }) => `${path.length > 0 ? `\`${memberNameOf(placeOf(path))}\`` : 'The request body'} ${message}`,
  );
  const about = issues.flatMap(({ path }) => placeOf(path).slice(0, 1).map(String));
  throw invalidRequest(problems.join('; '), about);
}

const REPORTED_PROBLEMS = 5;

/** When the old spellings of query parameters were deprecated, in epoch seconds. */
const DEPRECATED_SINCE_SECONDS = 1_735_689_600;

/** The RFC 9745 headers for a request that uses deprecated spellings of query parameters (§9). */
export function deprecationHeaders(deprecated: readonly string[], origin: string): Record<string, string> {
  if (deprecated.length === 0) return {};
  return {
    Deprecation: `@${DEPRECATED_SINCE_SECONDS}`,
    Link: `<${origin}/v1/docs/openapi.json>; rel="deprecation"; type="application/json"`,
  };
}
