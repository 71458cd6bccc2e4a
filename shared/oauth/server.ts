/** §5.3 The authorization server: the certified oidc-provider, run for one API Gateway event at a time. */

import { createHash } from 'node:crypto';
import Provider from 'oidc-provider';
import { person } from '#shared/access/actor.ts';
import { READS_OF_MEMBERS } from '#shared/access/protected-resource.ts';
import type { PublicPoint, SigningKeys } from '#shared/engine/aws/signing-keys.ts';
import type { HttpAnswer } from '#shared/engine/http/answer.ts';
import { decodeBytes } from '#shared/engine/http/body.ts';
import { type RouteEvent, readHeader } from '#shared/engine/http/event.ts';
import { retryOptimistically } from '#shared/engine/table/optimistic.ts';
import { ABSENT } from '#shared/engine/table/writes.ts';
import { type IssuerKey, issuerKeys } from '#shared/model/organizations/issuer-keys.ts';
import { SCOPES } from '#shared/model/organizations/permissions.ts';
import type { CoreServices, Services, WithClock } from '#shared/services.ts';
import { readCookies } from '#shared/sign-in/cookies.ts';
import { readSession } from '#shared/sign-in/sessions.ts';
import { COMMAND_LINE } from './applications.ts';
import { cleanRegistration } from './client-metadata-wire.ts';
import { configurationOf } from './configuration.ts';
import { listOwnGrants } from './grants.ts';
import { OAUTH_LIMITS } from './limits.ts';
import { type Served, serve } from './node-event.ts';
import { METADATA_PATHS, PATHS } from './paths.ts';
import { comparableUri } from './redirect-uri.ts';
import { type AuthorizationProblem, currentState, type RequestState, withState } from './request-state.ts';
import { Signer } from './signer.ts';

/**
 * §5.3 Whether errors may be sent to the client by redirect. The command-line client is always trusted, because its
 * redirects stay on the person's own computer. Any other client is trusted only if the signed-in person has already
 * given it consent. `cookies`: the `Cookie` header of the browser that the client redirected to this service.
 */
async function isTrustedClient(
  services: CoreServices,
  clientId: string,
  cookies: string | undefined,
): Promise<boolean> {
  if (clientId === COMMAND_LINE) return true;
  const session = await readSession(services, readCookies(cookies).session, { consistent: true });
  if (!session) return false;
  const granted = await listOwnGrants(services, person(session));
  return granted.some((grant) => grant.clientId === clientId);
}

/** A problem is shown to the person, because sending it to the client by redirect would be unsafe. */
export type ServerAnswer = { readonly answer: HttpAnswer } | { readonly problem: AuthorizationProblem };

type Keys = Pick<SigningKeys, 'ids' | 'publicPointOf' | 'sign'>;

/** Reuses one oidc-provider instance for many requests. There is one object of this class per Lambda container. */
export class AuthorizationServer {
  readonly #keys: () => Keys;
  #made: { readonly provider: Provider; readonly until: number } | undefined;

  constructor(keys: () => Keys) {
    this.#keys = keys;
  }

  /**
   * Answers a request to one of the routes of the authorization server. Throws the internal errors of oidc-provider.
   */
  async answer(event: RouteEvent, services: Services): Promise<ServerAnswer> {
    const front = frontOf(event);
    if (!('served' in front)) return front;
    const provider = await this.#providerOf(services);
    const state: RequestState = { services };
    const answer = await withState(state, () => serve(provider.callback(), services.origin, front.served));
    if (state.fault) throw state.fault;
    if (state.problem) return { problem: state.problem };
    const problem = await this.#untrustedRefusal(event, state);
    if (problem) return { problem };
    return { answer: METADATA_PATHS.some((path) => path === event.resource) ? withScopes(answer) : answer };
  }

  /**
   * Anyone may register a client that redirects to their own site. Errors are therefore sent by redirect only to
   * trusted clients (`isTrustedClient`). Otherwise, a client could abuse this origin as an open redirector to a
   * phishing page (RFC 9700 section 4.11.2).
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

  /**
   * Returns the current oidc-provider instance. A new instance is created every few minutes, because tokens may have to
   * be signed with a newer key.
   */
  async #providerOf(services: Services): Promise<Provider> {
    if (this.#made && services.now() < this.#made.until) return this.#made.provider;
    const signing = this.#keys();
    const { keys, signer } = await publishKeys(services, signing);
    const ordered = [signer, ...keys.filter((key) => key !== signer)];
    const signers = ordered.map((key) => new Signer(key, (id, bytes) => signing.sign(id, bytes)));
    const provider = providerOf(services.origin, signers);
    this.#made = { provider, until: services.now() + OAUTH_LIMITS.keysMilliseconds };
    return provider;
  }
}

export function providerOf(origin: string, signers: readonly Signer[]): Provider {
  const provider = new Provider(origin, configurationOf(origin, signers));
  provider.on('server_error', (_ctx, error) => {
    currentState().fault = error;
  });
  provider.on('authorization.error', (ctx, { error, error_description: description = '' }) => {
    currentState().refusal = { clientId: ctx.oidc.client?.clientId, error, description };
  });
  return provider;
}

/** RFC 8414: adds the scopes of the API to the metadata, and lists only the response modes that clients may use. */
function withScopes(answer: HttpAnswer): HttpAnswer {
  const metadata: object = JSON.parse(answer.body);
  const own = { scopes_supported: [...SCOPES, 'openid', 'offline_access'], response_modes_supported: ['query'] };
  return { ...answer, body: JSON.stringify({ ...metadata, ...own }) };
}

// §5.3 The keys of the authorization server: which are published, and which one signs.

type Signing = Pick<SigningKeys, 'ids' | 'publicPointOf'>;

/** Publishes the signing keys of this deployment, and retires keys that the deployment no longer uses. */
export async function publishKeys(
  services: WithClock,
  signing: Signing,
): Promise<{ readonly keys: readonly IssuerKey[]; readonly signer: IssuerKey }> {
  let keys: readonly IssuerKey[] = [];
  await retryOptimistically('keys of the authorization server', async () => {
    const row = await services.table.get(issuerKeys, {}, { consistent: true });
    keys = await keysAfter(row?.keys ?? [], signing, services.now());
    if (row && JSON.stringify(keys) === JSON.stringify(row.keys)) return true;
    const isSame = row ? { path: 'version', equals: row.version } : ABSENT;
    const written = await services.table.put(issuerKeys, { keys, version: (row?.version ?? 0) + 1 }, isSame);
    return written.done;
  });
  return { keys, signer: signerOf(keys, services.now()) };
}

async function keysAfter(known: readonly IssuerKey[], signing: Signing, now: number): Promise<IssuerKey[]> {
  const { removedKeyMilliseconds } = OAUTH_LIMITS;
  const kept = known
    .map(({ removedAt = now, ...key }) => (signing.ids.includes(key.keyId) ? key : { ...key, removedAt }))
    .filter((key) => !('removedAt' in key) || now < key.removedAt + removedKeyMilliseconds);
  const added = signing.ids.filter((id) => !known.some(({ keyId }) => keyId === id));
  return [...kept, ...(await Promise.all(added.map((keyId) => newKey(keyId, signing, now))))];
}

async function newKey(keyId: string, signing: Signing, firstSeenAt: number): Promise<IssuerKey> {
  const { x, y } = await signing.publicPointOf(keyId);
  return { kid: thumbprint({ x, y }), keyId, x, y, firstSeenAt };
}

/** The JWK thumbprint of RFC 7638, which requires the members in this order. */
const thumbprint = ({ x, y }: PublicPoint): string =>
  createHash('sha256')
    .update(JSON.stringify({ crv: 'P-256', kty: 'EC', x, y }))
    .digest('base64url');

/**
 * The newest key that has been published long enough for every verifier to know it, or the oldest key if no key has
 * been published that long.
 */
function signerOf(keys: readonly IssuerKey[], now: number): IssuerKey {
  const own = keys.filter(({ removedAt }) => removedAt === undefined).sort((a, b) => a.firstSeenAt - b.firstSeenAt);
  const isLearnt = ({ firstSeenAt }: IssuerKey) => now >= firstSeenAt + OAUTH_LIMITS.keyLeadMilliseconds;
  const signer = own.findLast(isLearnt) ?? own[0];
  if (!signer) throw new Error('The authorization server has no signing key. Add one to the template');
  return signer;
}

// Validates and completes a request before oidc-provider handles it.

/**
 * `served` is passed on to oidc-provider. `problem` is an error to show in a browser, and `answer` is an error response
 * for a program.
 */
type Front = { readonly served: Served } | { readonly problem: AuthorizationProblem } | { readonly answer: HttpAnswer };

function frontOf(event: RouteEvent): Front {
  const { httpMethod, path, multiValueHeaders, multiValueQueryStringParameters, isBase64Encoded } = event;
  const encoded = { body: event.body, isBase64Encoded, contentEncoding: readHeader(event, 'content-encoding') };
  const body = decodeBytes(encoded, OAUTH_LIMITS.bodyBytes).toString();
  const { sourceIp } = event.requestContext.identity;
  const served = { httpMethod, path, multiValueHeaders, multiValueQueryStringParameters, body, sourceIp };
  if (event.resource === PATHS.authorization) return authorization(served);
  if (event.resource === PATHS.token) return token(served);
  return event.resource === PATHS.registration ? registration(served) : { served };
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
    return problem('invalid_request', 'This response mode is not supported. Send response_mode=query, or omit it');
  }
  if ((sent['resource'] ?? []).length > 1) return problem('invalid_target', ONE_RESOURCE);
  const completed = withConsentPrompt(withScope(withComparableUri(sent)));
  return { served: { ...served, multiValueQueryStringParameters: completed } };
}

const problem = (error: string, description: string): Front => ({ problem: { statusCode: 400, error, description } });

type Query = Readonly<Record<string, string[] | undefined>>;

/**
 * Normalizes the redirect URI of a request. oidc-provider compares it with the registered URIs character by character.
 */
const withComparableUri = (sent: Query): Query =>
  sent['redirect_uri'] ? { ...sent, redirect_uri: sent['redirect_uri'].map(comparableUri) } : sent;

/** Adds the default scope to a request that names no scope (RFC 6749 section 3.3). */
const withScope = (sent: Query): Query =>
  (sent['scope'] ?? []).some((scope) => scope !== '') ? sent : { ...sent, scope: [READS_OF_MEMBERS.join(' ')] };

/**
 * §5.3 Adds `prompt=consent` to a request for a refresh token. Clients request a refresh token with the scope
 * `offline_access`, which oidc-provider would ignore without `prompt=consent`.
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
