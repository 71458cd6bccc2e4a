/** The request that the library is answering. Its callbacks get no parameters of ours. */
import { AsyncLocalStorage } from 'node:async_hooks';
import type { Services } from '#shared/services.ts';

/** An error that must not be sent to the address in the request, which may be forged. */
export interface AuthorizationProblem {
  readonly statusCode: number;
  readonly error: string;
  readonly description: string;
}

/** An authorization request that the library refuses. */
interface Refusal {
  readonly clientId: string | undefined;
  readonly error: string;
  readonly description: string;
}

export interface RequestState {
  readonly services: Services;
  problem?: AuthorizationProblem;
  /** An error that the library sends to the application. */
  refusal?: Refusal;
  /** An error of this service. */
  fault?: Error;
}

const states = new AsyncLocalStorage<RequestState>();

export const withState = <Result>(state: RequestState, act: () => Promise<Result>): Promise<Result> =>
  states.run(state, act);

export function currentState(): RequestState {
  const state = states.getStore();
  if (!state) throw new Error('The authorization server works only inside a request. Use withState()');
  return state;
}
