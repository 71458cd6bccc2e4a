/** From a proxy event to what a handler is given: who asks, then what is asked (401, 403, 400 in this order). */
import * as z from 'zod';
import { type Caller, DENIALS, refusalFor } from './credentials/caller.ts';
import { invalidRequest, unauthorized } from './errors.ts';
import { decodeBody } from './http/body.ts';
import { header, type ProxyEvent } from './http/event.ts';
import { nameOf, problemOf } from './http/problem.ts';
import { DEPRECATED_SINCE_SECONDS } from './limits.ts';
import { ROLES } from './resources/membership.ts';
import { PERMISSIONS } from './resources/permissions.ts';

const CallerContext: z.ZodType<Caller> = z.union([
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
    permissions: z.array(z.enum(PERMISSIONS)),
    role: z.enum(ROLES),
  }),
]);
const AuthorizerContext = z.object({ caller: z.string(), denial: z.enum(DENIALS).optional() });

/** The authorizer's word. Without one the route is not protected, and nobody is let through. */
export function callerFromContext(event: ProxyEvent): Caller {
  const context = AuthorizerContext.safeParse(event.requestContext.authorizer);
  if (!context.success) throw unauthorized();
  if (context.data.denial) throw refusalFor(context.data.denial);
  return CallerContext.parse(JSON.parse(context.data.caller));
}

/** Leaves plain text behind for the JSON parser, which knows neither gzip nor an absent body. */
export function decodeRequestBody(event: ProxyEvent): void {
  const contentEncoding = header(event, 'content-encoding');
  const text = decodeBody({ body: event.body, isBase64Encoded: event.isBase64Encoded, contentEncoding });
  if (text === undefined) throw invalidRequest('The request has no body. Send one JSON object');
  Object.assign(event, { body: text, isBase64Encoded: false });
}

/** 400 naming the parameter and what it takes. */
export function validated<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value, { error: problemOf });
  if (result.success) return result.data;
  const problems = result.error.issues
    .slice(0, REPORTED_PROBLEMS)
    .map(({ path, message }) => `${path.length > 0 ? `\`${nameOf(path)}\`` : 'The request body'} ${message}`);
  throw invalidRequest(problems.join('; '));
}

const REPORTED_PROBLEMS = 5;

/** RFC 9745, whenever a deprecated spelling was used (§9). */
export function deprecationHeaders(deprecated: readonly string[], origin: string): Record<string, string> {
  if (deprecated.length === 0) return {};
  return {
    Deprecation: `@${DEPRECATED_SINCE_SECONDS}`,
    Link: `<${origin}/v1/docs/openapi.json>; rel="deprecation"; type="application/json"`,
  };
}
