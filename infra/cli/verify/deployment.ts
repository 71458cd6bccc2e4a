/** What checks use: requests to a deployment, waiting for asynchronous effects, and the ways in which a check ends. */
import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import { findCauseMessage } from '#infra/cli/login/cannot-login.ts';
import { LOOPBACK_HOSTS } from '#infra/local/host/loopback.ts';
import { parseJson } from '#shared/engine/json.ts';

/** The check fails. */
export class Wrong extends Error {
  override name = 'Wrong';
  readonly fix: string | undefined;
  constructor(problem: string, fix?: string) {
    super(problem);
    this.fix = fix;
  }
}

/** The check is skipped: it does not apply to this deployment, or needs the result of a check that failed. */
export class NotHere extends Error {
  override name = 'NotHere';
}

export function must(holds: boolean, problem: string): asserts holds {
  if (!holds) throw new Wrong(problem);
}

/** Skips the check if an earlier check did not provide the value. */
export function requireFinding<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new NotHere(`there is no ${what}, because an earlier check failed or was skipped`);
  return value;
}

interface DeploymentRequest {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

export interface DeploymentAnswer {
  /** The method and the path. */
  readonly what: string;
  readonly status: number;
  readonly headers: Headers;
  /** The decompressed body. */
  readonly text: string;
  readonly milliseconds: number;
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

const SHOWN_CHARACTERS = 100;
const POLL_MILLISECONDS = 200;

/** The maximum time to wait for an effect that queues, streams and cold starts may delay. */
const PATIENCE_MILLISECONDS = 90_000;

/** Returns `undefined` after 90 seconds. */
export async function pollUntilFound<T>(
  { signal }: CheckedDeployment,
  look: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const until = performance.now() + PATIENCE_MILLISECONDS;
  for (;;) {
    const result = await look();
    if (result !== undefined || performance.now() > until) return result;
    await pause(POLL_MILLISECONDS, undefined, { signal });
  }
}

export function describeAnswer({ what, status, headers, text }: DeploymentAnswer): string {
  const location = headers.get('location');
  const beginning = text.trim().replaceAll(/\s+/g, ' ').slice(0, SHOWN_CHARACTERS);
  const more = location === null ? beginning && `: ${beginning}` : ` to ${location}`;
  return `${what} returned ${status}${more}`;
}

export function mustReturn(answer: DeploymentAnswer, status: number): void {
  must(answer.status === status, `${describeAnswer(answer)}, expected ${status}`);
}

/** Throws `Wrong` if the response has another status or does not match the schema. */
export function parseAnswer<T>(schema: z.ZodType<T>, answer: DeploymentAnswer, status = 200): T {
  mustReturn(answer, status);
  const { data, error } = schema.safeParse(parseJson(answer.text));
  if (error) throw new Wrong(`${describeAnswer(answer)}, which does not match the schema: ${z.prettifyError(error)}`);
  return data;
}

export const parseAnswerData = <T>(schema: z.ZodType<T>, answer: DeploymentAnswer, status?: number): T =>
  parseAnswer(z.object({ data: schema }), answer, status).data;
