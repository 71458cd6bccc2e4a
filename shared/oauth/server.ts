/** §5.3 The authorization server: the certified oidc-provider, run for one API Gateway event at a time. */
import Provider from 'oidc-provider';
import { person } from '#shared/access/actor.ts';
import type { SigningKeys } from '#shared/engine/aws/signing-keys.ts';
import type { HttpAnswer } from '#shared/engine/http/answer.ts';
import { header, type RouteEvent } from '#shared/engine/http/event.ts';
import { SCOPES } from '#shared/model/organizations/permissions.ts';
import type { CoreServices, Services } from '#shared/services.ts';
import { readCookies } from '#shared/sign-in/cookies.ts';
import { readSession } from '#shared/sign-in/sessions.ts';
import { COMMAND_LINE } from './applications.ts';
import { configurationOf } from './configuration.ts';
import { frontOf } from './front.ts';
import { listOwnGrants } from './grants.ts';
import { OAUTH_LIMITS } from './limits.ts';
import { serve } from './node-event.ts';
import { METADATA_PATHS, PATHS } from './paths.ts';
import { type AuthorizationProblem, currentState, type RequestState, withState } from './request-state.ts';
import { Signer } from './signer.ts';
import { publishKeys } from './signing.ts';

/** A client, and the browser that it sent to us. */
interface Asking {
  readonly clientId: string;
  /** The `Cookie` header. */
  readonly cookies: string | undefined;
}

/**
 * §5.3 Whether errors may be redirected to the client. The command line receives them on the person's own computer. Any
 * other client needs an earlier consent of the signed-in person.
 */
async function isTrustedClient(services: CoreServices, { clientId, cookies }: Asking): Promise<boolean> {
  if (clientId === COMMAND_LINE) return true;
  const session = await readSession(services, readCookies(cookies).session, { consistent: true });
  if (!session) return false;
  const granted = await listOwnGrants(services, person(session));
  return granted.some((grant) => grant.clientId === clientId);
}

/** A problem is shown to the person, because redirecting it to the client would be unsafe. */
export type ServerAnswer = { readonly answer: HttpAnswer } | { readonly problem: AuthorizationProblem };

type Keys = Pick<SigningKeys, 'ids' | 'publicPointOf' | 'sign'>;

/** Keeps the library between requests. One object per Lambda container. */
export class AuthorizationServer {
  readonly #keys: () => Keys;
  #made: { readonly provider: Provider; readonly until: number } | undefined;

  constructor(keys: () => Keys) {
    this.#keys = keys;
  }

  /** Answers a request to one of the routes. Throws internal errors of the library. */
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
   * Anyone may register a client with any redirect URI. Until the person has acted, only clients that they allowed
   * earlier get errors by redirect. Others could abuse this origin as an open redirector to phishing pages (RFC 9700
   * section 4.11.2).
   */
  async #untrustedRefusal(
    event: RouteEvent,
    { services, refusal }: RequestState,
  ): Promise<AuthorizationProblem | undefined> {
    if (event.resource !== PATHS.authorization || !refusal) return undefined;
    const { clientId, error, description } = refusal;
    if (clientId !== undefined && (await isTrustedClient(services, { clientId, cookies: header(event, 'cookie') })))
      return undefined;
    return { statusCode: 400, error, description };
  }

  /** Reads the keys again from time to time, because a different one may have to sign. */
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

/** RFC 8414: adds the API's scopes to the metadata, and lists only what clients may use. */
function withScopes(answer: HttpAnswer): HttpAnswer {
  const metadata: object = JSON.parse(answer.body);
  const own = { scopes_supported: [...SCOPES, 'openid', 'offline_access'], response_modes_supported: ['query'] };
  return { ...answer, body: JSON.stringify({ ...metadata, ...own }) };
}
