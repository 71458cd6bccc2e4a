/**
 * State of the request that oidc-provider is handling. The callbacks of oidc-provider read the state from here, because
 * the state cannot be passed to them as a parameter.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Services } from '#shared/services.ts';

/** An error that must not be sent to the redirect URI of the request, because that URI may be forged. */
export interface AuthorizationProblem {
  readonly statusCode: number;
  readonly error: string;
  readonly description: string;
}

/** An error that oidc-provider is about to send to the client by redirect. */
interface Refusal {
  readonly clientId: string | undefined;
  readonly error: string;
  readonly description: string;
}

export interface RequestState {
  readonly services: Services;
  problem?: AuthorizationProblem;
  /** Set if oidc-provider refused the request with a redirect to the application. */
  refusal?: Refusal;
  /** The internal error of oidc-provider, if one occurred. */
  fault?: Error;
}

const states = new AsyncLocalStorage<RequestState>();

export const withState = <Result>(state: RequestState, act: () => Promise<Result>): Promise<Result> =>
  states.run(state, act);

export function currentState(): RequestState {
  const state = states.getStore();
  if (!state) throw new Error('The state of a request was read outside a request. Wrap the call in withState()');
  return state;
}
