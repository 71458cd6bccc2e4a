/** Validates and completes a request before the library sees it. */
import { READS_OF_MEMBERS } from '#shared/access/protected-resource.ts';
import type { HttpAnswer } from '#shared/engine/http/answer.ts';
import { decodedBytes } from '#shared/engine/http/body.ts';
import { header, type RouteEvent } from '#shared/engine/http/event.ts';
import { cleanRegistration } from './client-metadata-wire.ts';
import { OAUTH_LIMITS } from './limits.ts';
import type { Served } from './node-event.ts';
import { PATHS } from './paths.ts';
import { comparableUri } from './redirect-uri.ts';
import type { AuthorizationProblem } from './request-state.ts';

/** `served` goes to the library. `problem` is an error for a person in a browser, `answer` one for a program. */
export type Front =
  | { readonly served: Served }
  | { readonly problem: AuthorizationProblem }
  | { readonly answer: HttpAnswer };

export function frontOf(event: RouteEvent): Front {
  const { httpMethod, path, multiValueHeaders, multiValueQueryStringParameters, requestContext } = event;
  const body = textOf(event);
  const { sourceIp } = requestContext.identity;
  const served = { httpMethod, path, multiValueHeaders, multiValueQueryStringParameters, body, sourceIp };
  if (event.resource === PATHS.authorization) return authorization(served);
  if (event.resource === PATHS.token) return token(served);
  return event.resource === PATHS.registration ? registration(served) : { served };
}

function textOf(event: RouteEvent): string {
  const contentEncoding = header(event, 'content-encoding');
  const { body, isBase64Encoded } = event;
  return decodedBytes({ body, isBase64Encoded, contentEncoding }, OAUTH_LIMITS.bodyBytes).toString();
}

const refusal = (error: string, error_description: string): Front => ({
  answer: {
    statusCode: 400,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' },
    body: JSON.stringify({ error, error_description }),
    isBase64Encoded: false,
  },
});

const ONE_RESOURCE = 'Send `resource` only once. A token is for one resource';

function authorization(served: Served): Front {
  const sent = served.multiValueQueryStringParameters ?? {};
  const [mode, ...modes] = sent['response_mode'] ?? [];
  if ((mode ?? 'query') !== 'query' || modes.length > 0) {
    return problem('invalid_request', 'Send response_mode=query, or omit it');
  }
  if ((sent['resource'] ?? []).length > 1) return problem('invalid_target', ONE_RESOURCE);
  const completed = withConsentPrompt(withScope(withComparableUri(sent)));
  return { served: { ...served, multiValueQueryStringParameters: completed } };
}

const problem = (error: string, description: string): Front => ({ problem: { statusCode: 400, error, description } });

type Query = Readonly<Record<string, string[] | undefined>>;

/** Normalizes the redirect URI of a request. The library compares redirect URIs with the registered ones as strings. */
const withComparableUri = (sent: Query): Query =>
  sent['redirect_uri'] ? { ...sent, redirect_uri: sent['redirect_uri'].map(comparableUri) } : sent;

/** Adds a scope to a request that names none. RFC 6749 section 3.3: a request without a scope gets a default one. */
const withScope = (sent: Query): Query =>
  (sent['scope'] ?? []).some((scope) => scope !== '') ? sent : { ...sent, scope: [READS_OF_MEMBERS.join(' ')] };

/**
 * §5.3 Adds `prompt=consent` to a request for a refresh token. `offline_access` alone requests a refresh token. Without
 * OpenID Connect's `prompt=consent`, the library would drop it.
 */
function withConsentPrompt(sent: Query): Query {
  const prompts = sent['prompt'] ?? [''];
  const [prompt = '', ...more] = prompts;
  const wanted = prompt.split(' ').filter(Boolean);
  const asks = (sent['scope'] ?? []).some((scope) => scope.split(' ').includes('offline_access'));
  if (!asks || more.length > 0 || wanted.includes('none')) return sent;
  return { ...sent, prompt: [[...new Set([...wanted, 'consent'])].join(' ')] };
}

function token(served: Served): Front {
  const sent = new URLSearchParams(served.body);
  if (sent.getAll('resource').length > 1) return refusal('invalid_target', ONE_RESOURCE);
  const [uri, ...more] = sent.getAll('redirect_uri');
  if (uri === undefined || more.length > 0) return { served };
  sent.set('redirect_uri', comparableUri(uri));
  return { served: { ...served, body: sent.toString() } };
}

function registration(served: Served): Front {
  const cleaned = cleanRegistration(served.body);
  if (!cleaned.ok) return refusal(cleaned.error, cleaned.description);
  return { served: { ...served, body: JSON.stringify(cleaned.metadata) } };
}
