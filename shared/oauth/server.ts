/** §5.3 The authorization server: the certified oidc-provider, run for one API Gateway event at a time. */
import Provider from 'oidc-provider';
import { makePerson } from '#shared/access/actor.ts';
import { DOCUMENTATION_PATH } from '#shared/access/protected-resource.ts';
import type { SigningKeys } from '#shared/engine/aws/signing-keys.ts';
import type { HttpAnswer } from '#shared/engine/http/answer.ts';
import { type RouteEvent, readHeader } from '#shared/engine/http/event.ts';
import { SCOPES } from '#shared/model/organizations/permissions.ts';
import type { CoreServices, Services } from '#shared/services.ts';
import { readCookies } from '#shared/sign-in/cookies.ts';
import { readSession } from '#shared/sign-in/sessions.ts';
import { COMMAND_LINE } from './applications.ts';
import { buildConfiguration } from './configuration.ts';
import { listOwnGrants } from './grants.ts';
import { OAUTH_LIMITS } from './limits.ts';
import { serveEvent } from './node-event.ts';
import { listResources, METADATA_PATHS, PATHS } from './paths.ts';
import { prepareRequest } from './prepare-request.ts';
import { publishKeys } from './publish-keys.ts';
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
    const { provider, renewalSecret } = await this.#prepareProvider(services);
    const state: RequestState = { services, renewalSecret };
    const answer = await runWithState(state, () => serveEvent(provider.callback(), services.origin, front.served));
    if (state.fault) throw state.fault;
    if (state.problem) return { problem: state.problem };
    const problem = await this.#findUntrustedRefusal(event, state);
    if (problem) return { problem };
    if (METADATA_PATHS.some((path) => path === event.resource))
      return { answer: completeMetadata(answer, services.origin) };
    return { answer: event.resource === PATHS.token ? completeScope(answer, front.served.body) : answer };
  }

  /**
   * Anyone may register a client. So errors are redirected only to trusted clients (`isTrustedClient`), or this origin
   * could be abused as an open redirector to a phishing page (RFC 9700 section 4.11.2).
   */
  async #findUntrustedRefusal(
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
  async #prepareProvider(services: Services): Promise<PreparedProvider> {
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

export function makeProvider(origin: string, signers: readonly Signer[]): Provider {
  const provider = new Provider(origin, buildConfiguration(origin, signers));
  // The library has no setting for the values of refresh tokens.
  Object.assign(provider.RefreshToken.prototype, {
    generateTokenId: () =>
      getRequestState().successor ?? getRequestState().services.randomId(OAUTH_LIMITS.tokenCharacters),
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
  const scopes = [tokens.scope];
  if ('id_token' in tokens && isNamed('openid')) scopes.push('openid');
  if ('refresh_token' in tokens && isNamed('offline_access')) scopes.push('offline_access');
  return { ...answer, body: JSON.stringify({ ...tokens, scope: scopes.join(' ') }) };
}
