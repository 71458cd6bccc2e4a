/** From a proxy event to what a handler is given: who asks, then what is asked (401, 403, 400 in this order). */
import * as z from 'zod';
import { authorize } from './credentials/authorize.ts';
import { type Caller, DENIALS, type Denial } from './credentials/caller.ts';
import { credentialOf } from './credentials/presented.ts';
import { verifyCredential } from './credentials/verify.ts';
import type { Declaration } from './declaration.ts';
import {
  type ApiError,
  apiKeyRequired,
  invalidRequest,
  readOnlyKey,
  unauthorized,
  userCredentialRequired,
} from './errors.ts';
import { decodeBody } from './http/body.ts';
import { header, type ProxyEvent } from './http/event.ts';
import { nameOf, problemOf } from './http/problem.ts';
import { DEPRECATED_SINCE_SECONDS } from './limits.ts';
import { PERMISSIONS } from './resources/permissions.ts';
import type { Services } from './services.ts';

const refusals: Record<Denial, () => ApiError> = { readOnlyKey, apiKeyRequired, userCredentialRequired };

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
]);
const AuthorizerContext = z.object({ caller: z.string(), denial: z.enum(DENIALS).optional() });

/** The authorizer's word. Without one the route is not protected, and nobody is let through. */
export function callerFromContext(event: ProxyEvent): Caller {
  const context = AuthorizerContext.safeParse(event.requestContext.authorizer);
  if (!context.success) throw unauthorized();
  if (context.data.denial) throw refusals[context.data.denial]();
  return CallerContext.parse(JSON.parse(context.data.caller));
}

/** For the few operations whose clients put the key into the body (`recordKey`), where no authorizer can see it. Headers win. */
export async function callerFromBody(
  services: Pick<Services, 'table' | 'now'>,
  event: ProxyEvent,
  declaration: Declaration,
): Promise<Caller> {
  const { body, multiValueHeaders } = event;
  const recordKey = typeof body === 'object' && body !== null && 'recordKey' in body ? body.recordKey : undefined;
  const inBody = typeof recordKey === 'string' ? recordKey : undefined;
  const caller = await verifyCredential(
    services,
    credentialOf(multiValueHeaders ?? {}, declaration.permission) ?? inBody,
  );
  if (!caller) throw unauthorized();
  const verdict = authorize(caller, declaration);
  if (verdict.may) return caller;
  // Such an operation records, and recording takes no permission that a caller could lack.
  throw 'denial' in verdict ? refusals[verdict.denial]() : unauthorized();
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
