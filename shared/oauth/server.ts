/** §5.3 The authorization server: the certified oidc-provider, run for one API Gateway event at a time. */

import { createHash } from 'node:crypto';
import Provider from 'oidc-provider';
import { makePerson } from '#shared/access/actor.ts';
import { DOCUMENTATION_PATH, READS_OF_MEMBERS } from '#shared/access/protected-resource.ts';
import type { PublicPoint, SigningKeys } from '#shared/engine/aws/signing-keys.ts';
import type { HttpAnswer } from '#shared/engine/http/answer.ts';
import { decodeBytes } from '#shared/engine/http/body.ts';
import { type RouteEvent, readHeader } from '#shared/engine/http/event.ts';
import { AGAIN, retryOptimistically } from '#shared/engine/table/optimistic.ts';
import { ABSENT } from '#shared/engine/table/writes.ts';
import { type IssuerKey, issuerKeys } from '#shared/model/oauth/issuer-keys.ts';
import { SCOPES } from '#shared/model/organizations/permissions.ts';
import type { CoreServices, Services } from '#shared/services.ts';
import { readCookies } from '#shared/sign-in/cookies.ts';
import { readSession } from '#shared/sign-in/sessions.ts';
import { COMMAND_LINE } from './applications.ts';
import { cleanRegistration } from './client-metadata-wire.ts';
import { buildConfiguration } from './configuration.ts';
import { listOwnGrants } from './grants.ts';
import { OAUTH_LIMITS } from './limits.ts';
import { type EventRequest, serveEvent } from './node-event.ts';
import { listResources, METADATA_PATHS, PATHS, resolveResource } from './paths.ts';
import { normalizeRedirectUri } from './redirect-uri.ts';
import { type AuthorizationProblem, getRequestState, type RequestState, runWithState } from './request-state.ts';
import { Signer } from './signer.ts';

/**
 * §5.3 Whether errors may go to the client by redirect. Redirects of the command-line client stay on the person's own
 * computer. Another client needs the consent of the signed-in person. `cookies`: the header of the redirected browser.
 */
async function isTrustedClient(
  services: CoreServices,
  clientId: string,
  cookies: string | undefined,
): Promise<boolean> {
  if (clientId === COMMAND_LINE) return true;
  const session = await readSession(services, readCookies(cookies).session);
  if (!session) return false;
  const grants = await listOwnGrants(services, makePerson(session));
  return grants.some((grant) => grant.clientId === clientId);
}

/** A problem is shown to the person, because sending it to the client by redirect would be unsafe. */
export type ServerAnswer = { readonly answer: HttpAnswer } | { readonly problem: AuthorizationProblem };

type Keys = Pick<SigningKeys, 'ids' | 'publicPointOf' | 'sign'>;

interface PreparedProvider {
  readonly provider: Provider;
  readonly renewalSecret: string;
  /** In epoch milliseconds. */
  readonly until: number;
}

/** Reuses one oidc-provider instance for many requests. There is one object of this class per Lambda container. */
export class AuthorizationServer {
  readonly #keys: () => Keys;
  #prepared: PreparedProvider | undefined;

  constructor(keys: () => Keys) {
    this.#keys = keys;
  }

  /** Throws the internal errors of oidc-provider. */
  async answer(event: RouteEvent, services: Services): Promise<ServerAnswer> {
    const front = prepareRequest(event, services.origin);
    if (!('served' in front)) return front;
    const { provider, renewalSecret } = await this.#preparedProviderOf(services);
    const state: RequestState = { services, renewalSecret };
    const answer = await runWithState(state, () => serveEvent(provider.callback(), services.origin, front.served));
    if (state.fault) throw state.fault;
    if (state.problem) return { problem: state.problem };
    const problem = await this.#untrustedRefusal(event, state);
    if (problem) return { problem };
    if (METADATA_PATHS.some((path) => path === event.resource))
      return { answer: completeMetadata(answer, services.origin) };
    return { answer: event.resource === PATHS.token ? completeScope(answer, front.served.body) : answer };
  }

  /**
   * Anyone may register a client. So errors are redirected only to trusted clients (`isTrustedClient`), or this origin
   * could be abused as an open redirector to a phishing page (RFC 9700 section 4.11.2).
   */
  async #untrustedRefusal(
    event: RouteEvent,
    { services, refusal }: RequestState,
  ): Promise<AuthorizationProblem | undefined> {
    if (event.resource !== PATHS.authorization || !refusal) return undefined;
    const { clientId, error, description } = refusal;
    if (clientId !== undefined && (await isTrustedClient(services, clientId, readHeader(event, 'cookie'))))
      return undefined;
    return { statusCode: 400, error, description };
  }

  /** Made anew every few minutes, because tokens may have to be signed with a newer key. */
  async #preparedProviderOf(services: Services): Promise<PreparedProvider> {
    if (this.#prepared && services.now() < this.#prepared.until) return this.#prepared;
    const signing = this.#keys();
    const { keys, signer, renewalSecret } = await publishKeys(services, signing);
    const orderedKeys = [signer, ...keys.filter((key) => key !== signer)];
    const signers = orderedKeys.map((key) => new Signer(key, (id, bytes) => signing.sign(id, bytes)));
    const provider = makeProvider(services.origin, signers);
    this.#prepared = { provider, renewalSecret, until: services.now() + OAUTH_LIMITS.keysMilliseconds };
    return this.#prepared;
  }
}

/** Hexadecimal digits: 256 bits. */
const TOKEN_CHARACTERS = 64;

export function makeProvider(origin: string, signers: readonly Signer[]): Provider {
  const provider = new Provider(origin, buildConfiguration(origin, signers));
  // The library has no setting for the values of refresh tokens.
  Object.assign(provider.RefreshToken.prototype, {
    generateTokenId: () => getRequestState().successor ?? getRequestState().services.randomId(TOKEN_CHARACTERS),
  });
  provider.on('server_error', (_ctx, error) => {
    getRequestState().fault = error;
  });
  provider.on('authorization.error', (ctx, { error, error_description: description = '' }) => {
    getRequestState().refusal = { clientId: ctx.oidc.client?.clientId, error, description };
  });
  return provider;
}

/** RFC 8414: adds what oidc-provider does not know, and lists only the response modes that clients may use. */
function completeMetadata(answer: HttpAnswer, origin: string): HttpAnswer {
  const metadata: object = JSON.parse(answer.body);
  const additions = {
    scopes_supported: [...SCOPES, 'openid', 'offline_access'],
    response_modes_supported: ['query'],
    // Without it, clients would have to authenticate by a secret.
    revocation_endpoint_auth_methods_supported: ['none'],
    service_documentation: `${origin}${DOCUMENTATION_PATH}`,
    // RFC 9728 section 4.
    protected_resources: listResources(origin),
  };
  return { ...answer, body: JSON.stringify({ ...metadata, ...additions }) };
}

/**
 * RFC 6749 section 5.1: the answer names all granted scopes, if they differ from the requested ones. oidc-provider names
 * only those of the access token. `requestBody`: a renewal may ask for fewer scopes.
 */
function completeScope(answer: HttpAnswer, requestBody: string): HttpAnswer {
  if (answer.statusCode !== 200) return answer;
  const tokens: object = JSON.parse(answer.body);
  if (!('scope' in tokens)) return answer;
  const requestedScopes = new URLSearchParams(requestBody).get('scope')?.split(' ');
  const isNamed = (scope: string) => requestedScopes === undefined || requestedScopes.includes(scope);
  const scopes = [
    tokens.scope,
    ...('id_token' in tokens && isNamed('openid') ? ['openid'] : []),
    ...('refresh_token' in tokens && isNamed('offline_access') ? ['offline_access'] : []),
  ];
  return { ...answer, body: JSON.stringify({ ...tokens, scope: scopes.join(' ') }) };
}

// §5.3 The keys of the authorization server: which are published, and which one signs.

type Signing = Pick<SigningKeys, 'ids' | 'publicPointOf'>;

/** Publishes the signing keys of this deployment, and retires keys that the deployment no longer uses. */
export async function publishKeys(
  services: CoreServices,
  signing: Signing,
): Promise<{ readonly keys: readonly IssuerKey[]; readonly signer: IssuerKey; readonly renewalSecret: string }> {
  const issuer = await retryOptimistically('keys of the authorization server', async () => {
    const row = await services.table.get(issuerKeys, {}, { consistent: true });
    const keys = await updateKeys(row?.keys ?? [], signing, services.now());
    const { renewalSecret = services.randomId(TOKEN_CHARACTERS) } = row ?? {};
    const isPublished = row?.renewalSecret !== undefined && JSON.stringify(keys) === JSON.stringify(row.keys);
    if (isPublished) return { keys, renewalSecret };
    const isSame = row ? { path: 'version', equals: row.version } : ABSENT;
    const newRow = { keys, renewalSecret, version: (row?.version ?? 0) + 1 };
    return (await services.table.put(issuerKeys, newRow, isSame)).done ? { keys, renewalSecret } : AGAIN;
  });
  return { ...issuer, signer: pickSigner(issuer.keys, services.now()) };
}

async function updateKeys(storedKeys: readonly IssuerKey[], signing: Signing, now: number): Promise<IssuerKey[]> {
  const { removedKeyMilliseconds } = OAUTH_LIMITS;
  const keptKeys = storedKeys
    .map(({ removedAt = now, ...key }) => (signing.ids.includes(key.keyId) ? key : { ...key, removedAt }))
    .filter((key) => !('removedAt' in key) || now < key.removedAt + removedKeyMilliseconds);
  const addedIds = signing.ids.filter((id) => !storedKeys.some(({ keyId }) => keyId === id));
  return [...keptKeys, ...(await Promise.all(addedIds.map((keyId) => makeIssuerKey(keyId, signing, now))))];
}

async function makeIssuerKey(keyId: string, signing: Signing, firstSeenAt: number): Promise<IssuerKey> {
  const { x, y } = await signing.publicPointOf(keyId);
  return { kid: computeThumbprint({ x, y }), keyId, x, y, firstSeenAt };
}

/** The JWK thumbprint of RFC 7638, which requires the members in this order. */
const computeThumbprint = ({ x, y }: PublicPoint): string =>
  createHash('sha256')
    .update(JSON.stringify({ crv: 'P-256', kty: 'EC', x, y }))
    .digest('base64url');

/** The newest key published long enough for every verifier to know it, or else the oldest key. */
function pickSigner(keys: readonly IssuerKey[], now: number): IssuerKey {
  const activeKeys = keys
    .filter(({ removedAt }) => removedAt === undefined)
    .sort((a, b) => a.firstSeenAt - b.firstSeenAt);
  const isLearnt = ({ firstSeenAt }: IssuerKey) => now >= firstSeenAt + OAUTH_LIMITS.keyLeadMilliseconds;
  const signer = activeKeys.findLast(isLearnt) ?? activeKeys[0];
  if (!signer) throw new Error('The authorization server has no signing key. Add one to the template');
  return signer;
}

// Validates and completes a request before oidc-provider handles it.

/** `served` goes on to oidc-provider, `problem` is an error for a browser, `answer` an error for a program. */
type Front =
  | { readonly served: EventRequest }
  | { readonly problem: AuthorizationProblem }
  | { readonly answer: HttpAnswer };

function prepareRequest(event: RouteEvent, origin: string): Front {
  const { httpMethod, path, multiValueHeaders, multiValueQueryStringParameters, isBase64Encoded } = event;
  const encodedBody = { body: event.body, isBase64Encoded, contentEncoding: readHeader(event, 'content-encoding') };
  const body = decodeBytes(encodedBody, OAUTH_LIMITS.bodyBytes).toString();
  const { sourceIp } = event.requestContext.identity;
  const request = { httpMethod, path, multiValueHeaders, multiValueQueryStringParameters, body, sourceIp };
  if (event.resource === PATHS.authorization) return prepareAuthorizationRequest(request, origin);
  if (event.resource === PATHS.token) return prepareTokenRequest(request, origin);
  return event.resource === PATHS.registration ? prepareRegistrationRequest(request) : { served: request };
}

const makeRefusal = (error: string, error_description: string): Front => ({
  answer: {
    statusCode: 400,
    headers: { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' },
    body: JSON.stringify({ error, error_description }),
    isBase64Encoded: false,
  },
});

const ONE_RESOURCE = 'Send `resource` only once. A token is for one resource';

function prepareAuthorizationRequest(request: EventRequest, origin: string): Front {
  const query = request.multiValueQueryStringParameters ?? {};
  const [mode, ...modes] = query['response_mode'] ?? [];
  if ((mode ?? 'query') !== 'query' || modes.length > 0) {
    return makeProblem('invalid_request', 'This response mode is not supported. Send response_mode=query, or omit it');
  }
  if ((query['resource'] ?? []).length > 1) return makeProblem('invalid_target', ONE_RESOURCE);
  const completedQuery = addConsentPrompt(addDefaultScope(normalizeQueryUris(query, origin)));
  return { served: { ...request, multiValueQueryStringParameters: completedQuery } };
}

const makeProblem = (error: string, description: string): Front => ({
  problem: { statusCode: 400, error, description },
});

type Query = Readonly<Record<string, string[] | undefined>>;

/** oidc-provider compares redirect URIs with the registered ones, and resources with ours, character by character. */
const normalizeQueryUris = (
  { redirect_uri: redirectUris, resource: resources, ...query }: Query,
  origin: string,
): Query => ({
  ...query,
  ...(redirectUris && { redirect_uri: redirectUris.map(normalizeRedirectUri) }),
  ...(resources && { resource: resources.map((one) => resolveResource(origin, query['client_id']?.[0], one)) }),
});

/** Adds the default scope to a request that names no scope (RFC 6749 section 3.3). */
const addDefaultScope = (query: Query): Query =>
  (query['scope'] ?? []).some((scope) => scope !== '') ? query : { ...query, scope: [READS_OF_MEMBERS.join(' ')] };

/** §5.3 oidc-provider would ignore the scope `offline_access`, for a refresh token, without `prompt=consent`. */
function addConsentPrompt(query: Query): Query {
  const prompts = query['prompt'] ?? [''];
  const [prompt = '', ...more] = prompts;
  const promptValues = prompt.split(' ').filter(Boolean);
  const asks = (query['scope'] ?? []).some((scope) => scope.split(' ').includes('offline_access'));
  if (!asks || more.length > 0 || promptValues.includes('none')) return query;
  return { ...query, prompt: [[...new Set([...promptValues, 'consent'])].join(' ')] };
}

function prepareTokenRequest(request: EventRequest, origin: string): Front {
  const fields = new URLSearchParams(request.body);
  const [resource, ...moreResources] = fields.getAll('resource');
  if (moreResources.length > 0) return makeRefusal('invalid_target', ONE_RESOURCE);
  if (resource !== undefined)
    fields.set('resource', resolveResource(origin, fields.get('client_id') ?? undefined, resource));
  const [uri, ...moreUris] = fields.getAll('redirect_uri');
  if (uri !== undefined && moreUris.length === 0) fields.set('redirect_uri', normalizeRedirectUri(uri));
  return { served: { ...request, body: fields.toString() } };
}

function prepareRegistrationRequest(request: EventRequest): Front {
  const result = cleanRegistration(request.body);
  if (!result.ok) return makeRefusal(result.error, result.description);
  return { served: { ...request, body: JSON.stringify(result.metadata) } };
}
