/** Converts an event to a request: first the actor (401, 403 and 429), then the validated parts (400). */
import * as z from 'zod';
import type { ApiActor } from '#shared/access/actor.ts';
import { isDenial, makeDenialError } from '#shared/access/denial.ts';
import { badEncoding, invalidRequest, unauthorized } from '#shared/engine/errors.ts';
import { decodeBody, getEncodedBody, getSentBytes, parseContentCoding } from '#shared/engine/http/body.ts';
import { type ProxyEvent, readHeader } from '#shared/engine/http/event.ts';
import { parseFormFields } from '#shared/engine/http/form.ts';
import { describeIssue, formatMemberName } from '#shared/engine/http/problem.ts';
import { ROLES } from '#shared/model/organizations/membership.ts';
import { PERMISSIONS, SCOPES } from '#shared/model/organizations/permissions.ts';
import { CI_PROVIDER_NAMES, type CiBuild } from '#shared/model/runs/origin.ts';
import { decodeExcess, limitExceeded } from '#shared/usage/errors.ts';

/** The authorizer has read it from the row that the exchange wrote. */
const CiBuildContext: z.ZodType<CiBuild> = z.object({
  projectId: z.string().min(1),
  ciBuildId: z.string().min(1),
  job: z.object({
    build: z.string().exactOptional(),
    attempt: z.number().exactOptional(),
    id: z.string().exactOptional(),
  }),
  remoteOrigin: z.string(),
  branch: z.string().exactOptional(),
  sha: z.string().exactOptional(),
  pullRequest: z.string().exactOptional(),
  origin: z.object({
    trustId: z.string().min(1),
    provider: z.enum(CI_PROVIDER_NAMES),
    issuer: z.string(),
    repository: z.string(),
    repositoryId: z.string(),
    event: z.string(),
    ref: z.string(),
    sha: z.string(),
    provesCommit: z.boolean(),
    person: z.string().exactOptional(),
    workflow: z.string().exactOptional(),
  }),
});

const ActorContext: z.ZodType<ApiActor> = z.union([
  z.object({
    kind: z.literal('apiKey'),
    organizationId: z.string().min(1),
    keyId: z.string().min(1),
    label: z.string(),
    level: z.enum(['readOnly', 'readWrite']),
    build: CiBuildContext.optional(),
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

/** Refuses a request without a context, because its route is not protected by the authorizer. */
export function readActor(event: ProxyEvent): ApiActor {
  const context = AuthorizerContext.safeParse(event.requestContext.authorizer);
  if (!context.success) throw unauthorized();
  const excess = decodeExcess(context.data.excess);
  if (excess) throw limitExceeded(excess);
  if (context.data.denial) throw makeDenialError(context.data.denial);
  return ActorContext.parse(JSON.parse(context.data.actor));
}

/** Replaces the body of the event with the form fields. */
export function parseForm(event: ProxyEvent): void {
  Object.assign(event, {
    body: parseFormFields(getEncodedBody(event), readHeader(event, 'content-type')),
    isBase64Encoded: false,
  });
}

/** A compressed file is not decompressed, even if a header declares the compression. */
export function takeBytes(event: ProxyEvent): void {
  const body = getEncodedBody(event);
  if (parseContentCoding(body) === undefined) throw badEncoding();
  Object.assign(event, { body: getSentBytes(body), isBase64Encoded: false });
}

/** Replaces the body of the event with text for the JSON parser, which handles neither gzip nor a missing body. */
export function decodeRequestBody(event: ProxyEvent): void {
  const text = decodeBody(getEncodedBody(event));
  if (text === undefined) throw invalidRequest('The request has no body. Send one JSON object');
  Object.assign(event, { body: text, isBase64Encoded: false });
}

/**
 * Validates a part of the request. Throws 400 with a message that names the first few invalid parameters and says what
 * they must be. `placeOf` returns the path of a parameter, spelled as in the request.
 */
export function validatePart<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  placeOf = (path: readonly PropertyKey[]) => path,
): z.output<Schema> {
  const result = schema.safeParse(value, { error: describeIssue });
  if (result.success) return result.data;
  const issues = dropConsequences(result.error.issues).slice(0, REPORTED_PROBLEMS);
  const problems = issues.map(
    ({ path, message }) =>
      `${path.length > 0 ? `\`${formatMemberName(placeOf(path))}\`` : 'The request body'} ${message}`,
  );
  const about = issues.flatMap(({ path }) => placeOf(path).slice(0, 1).map(String));
  throw invalidRequest(problems.join('; '), about, issues);
}

/** A value of the wrong type fails further checks, which would only confuse: a text has too many "elements" for a list. */
function dropConsequences(issues: readonly z.core.$ZodIssue[]): readonly z.core.$ZodIssue[] {
  const places = new Set(
    issues.filter(({ code }) => code === 'invalid_type').map(({ path }) => formatMemberName(path)),
  );
  return issues.filter(({ code, path }) => code === 'invalid_type' || !places.has(formatMemberName(path)));
}

const REPORTED_PROBLEMS = 5;

/** In epoch seconds. */
const DEPRECATED_SINCE_SECONDS = 1_735_689_600;

/** RFC 9745, for deprecated spellings of query parameters (§9). */
export function makeDeprecationHeaders(usedSpellings: readonly string[], origin: string): Record<string, string> {
  if (usedSpellings.length === 0) return {};
  return {
    Deprecation: `@${DEPRECATED_SINCE_SECONDS}`,
    Link: `<${origin}/v1/docs/openapi.json>; rel="deprecation"; type="application/json"`,
  };
}
