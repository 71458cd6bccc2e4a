/** State of the request in oidc-provider, for its callbacks, which cannot get the state as a parameter. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Services } from '#shared/services.ts';

/** An error to show to the person instead of sending it to the redirect URI, which may be forged or not trusted. */
export interface AuthorizationProblem {
  readonly statusCode: number;
  readonly error: string;
  readonly description: string;
}

/** An error with which oidc-provider refused an authorization request. */
interface Refusal {
  readonly clientId: string | undefined;
  readonly error: string;
  readonly description: string;
}

export interface RequestState {
  readonly services: Services;
  /** The secret from which the successors of refresh tokens are derived. Absent where no token is issued. */
  readonly renewalSecret?: string;
  /** The value of the next refresh token, if the request renews one. */
  successor?: string;
  problem?: AuthorizationProblem;
  /** oidc-provider sends this error to the client by redirect, unless `problem` is set too. */
  refusal?: Refusal;
  /** The internal error of oidc-provider, if one occurred. */
  fault?: Error;
}

const states = new AsyncLocalStorage<RequestState>();

export const runWithState = <Result>(state: RequestState, act: () => Promise<Result>): Promise<Result> =>
  states.run(state, act);

export function getRequestState(): RequestState {
  const state = states.getStore();
  if (!state) throw new Error('The state of a request was read outside a request. Wrap the call in runWithState()');
  return state;
}
