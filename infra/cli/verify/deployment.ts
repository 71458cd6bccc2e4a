/** Sends requests to the deployment that is checked, and waits for what happens there later. */

import { setTimeout as pause } from 'node:timers/promises';
import { findCauseMessage } from '#infra/cli/terminal/cause-message.ts';
import { LOOPBACK_HOSTS } from '#infra/local/host/loopback.ts';
import { type DeploymentAnswer, SHOWN_CHARACTERS } from './answers.ts';
import { Wrong } from './outcome.ts';

interface DeploymentRequest {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

export interface DeploymentToCheck {
  /** Base URL without a trailing slash. Without a custom domain it ends with the stage name. */
  readonly origin: string;
  readonly key: string;
  /** The id of the project to record in, if given. */
  readonly projectId?: string | undefined;
  /** URL of a webhook receiver, if given. */
  readonly receiver?: string | undefined;
  /** Aborting this signal ends requests and waiting. */
  readonly signal: AbortSignal;
}

export interface CheckedDeployment extends DeploymentToCheck {
  readonly isOnThisMachine: boolean;
  /** Sends a request without a credential to a path below the origin, or to another URL. Follows no redirects. */
  readonly ask: (method: string, path: string, request?: DeploymentRequest) => Promise<DeploymentAnswer>;
  readonly askAsKey: (
    method: `${Uppercase<string>}`,
    path: `/${string}`,
    request?: DeploymentRequest,
  ) => Promise<DeploymentAnswer>;
}

/** The time limit of a request. API Gateway times out after 29 seconds. Sending a large body takes time as well. */
const REQUEST_MILLISECONDS = 60_000;

export function makeCheckedDeployment(deployment: DeploymentToCheck): CheckedDeployment {
  const { origin, key, signal } = deployment;
  const ask: CheckedDeployment['ask'] = async (method, path, { headers, body = null } = {}) => {
    const startTime = performance.now();
    const what = `${method} ${path.length > SHOWN_CHARACTERS ? `${path.slice(0, SHOWN_CHARACTERS)}...` : path}`;
    try {
      const answer = await fetch(path.startsWith('/') ? origin + path : path, {
        method,
        headers: { 'accept-encoding': 'identity', ...headers },
        redirect: 'manual',
        signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_MILLISECONDS)]),
        body,
      });
      const text = await answer.text();
      return {
        what,
        status: answer.status,
        headers: answer.headers,
        text,
        milliseconds: performance.now() - startTime,
      };
    } catch (error) {
      throw new Wrong(`${what} got no answer: ${findCauseMessage(error)}`);
    }
  };
  return {
    ...deployment,
    isOnThisMachine: LOOPBACK_HOSTS.includes(new URL(origin).hostname),
    ask,
    askAsKey: (method, path, request = {}) =>
      ask(method, path, { ...request, headers: { authorization: `Bearer ${key}`, ...request.headers } }),
  };
}

const POLL_MILLISECONDS = 200;

/** The maximum time to wait for an effect that queues, streams and cold starts may delay. */
const PATIENCE_MILLISECONDS = 90_000;

/** Returns `undefined` after 90 seconds. */
export async function pollUntilFound<T>(
  { signal }: CheckedDeployment,
  look: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const until = performance.now() + PATIENCE_MILLISECONDS;
  let result = await look();
  while (result === undefined && performance.now() <= until) {
    await pause(POLL_MILLISECONDS, undefined, { signal });
    result = await look();
  }
  return result;
}
