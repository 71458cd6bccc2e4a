/** Sends requests to a deployment, and waits for asynchronous effects. */
import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod';
import { reasonOf } from '#infra/cli/cannot-login.ts';
import { LOOPBACK_HOSTS } from '#infra/local/host/loopback.ts';
import { Wrong } from './outcome.ts';

interface Asked {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array<ArrayBuffer>;
}

export interface Answered {
  /** The method and the path. */
  readonly what: string;
  readonly status: number;
  readonly headers: Headers;
  /** The decompressed body. */
  readonly text: string;
  readonly milliseconds: number;
}

export interface CheckedDeployment {
  /** Base URL without a trailing slash. Without a custom domain it ends with the stage name. */
  readonly origin: string;
  readonly key: string;
  /** The id of the project to record in, if given. */
  readonly projectId: string | undefined;
  /** URL of a webhook receiver, if given. */
  readonly receiver: string | undefined;
  readonly isOnThisMachine: boolean;
  readonly signal: AbortSignal;
  /** Sends a request without a credential to a path below the origin, or to another URL. Follows no redirects. */
  readonly ask: (method: string, path: string, asked?: Asked) => Promise<Answered>;
  /** Sends a request with the API key to a path below the origin. */
  readonly askAsKey: (method: `${Uppercase<string>}`, path: `/${string}`, asked?: Asked) => Promise<Answered>;
}

interface Options {
  readonly origin: string;
  readonly key: string;
  readonly projectId?: string | undefined;
  readonly receiver?: string | undefined;
  /** Aborting this signal ends requests and waiting. */
  readonly signal: AbortSignal;
}

/** The time limit of a request. API Gateway times out after 29 seconds. Sending a large body takes time as well. */
const REQUEST_MILLISECONDS = 60_000;

export function deploymentAt(options: Options): CheckedDeployment {
  const { origin, key, projectId, receiver, signal } = options;
  const ask: CheckedDeployment['ask'] = async (method, path, { headers = {}, body } = {}) => {
    const started = performance.now();
    const sent = { 'accept-encoding': 'identity', ...headers };
    const what = `${method} ${path.length > SHOWN_CHARACTERS ? `${path.slice(0, SHOWN_CHARACTERS)}...` : path}`;
    try {
      const answer = await fetch(path.startsWith('/') ? origin + path : path, {
        method,
        headers: sent,
        redirect: 'manual',
        signal: AbortSignal.any([signal, AbortSignal.timeout(REQUEST_MILLISECONDS)]),
        ...(body === undefined ? {} : { body }),
      });
      const text = await answer.text();
      return { what, status: answer.status, headers: answer.headers, text, milliseconds: performance.now() - started };
    } catch (error) {
      throw new Wrong(`${what} got no answer: ${reasonOf(error)}`);
    }
  };
  return {
    origin,
    key,
    projectId,
    receiver,
    isOnThisMachine: LOOPBACK_HOSTS.includes(new URL(origin).hostname),
    signal,
    ask,
    askAsKey: (method, path, asked = {}) =>
      ask(method, path, { ...asked, headers: { authorization: `Bearer ${key}`, ...asked.headers } }),
  };
}

const SHOWN_CHARACTERS = 100;
const POLL_MILLISECONDS = 200;

/** The maximum time to wait for an effect that queues, streams and cold starts may delay. */
const PATIENCE_MILLISECONDS = 90_000;

/** Polls until the result is defined. Returns `undefined` after 90 seconds. */
export async function eventually<T>(
  { signal }: CheckedDeployment,
  look: () => Promise<T | undefined>,
): Promise<T | undefined> {
  const until = performance.now() + PATIENCE_MILLISECONDS;
  for (;;) {
    const found = await look();
    if (found !== undefined || performance.now() > until) return found;
    await pause(POLL_MILLISECONDS, undefined, { signal });
  }
}

/** Describes a response for the message of a failed check. */
export function shown({ what, status, headers, text }: Answered): string {
  const location = headers.get('location');
  const beginning = text.trim().replaceAll(/\s+/g, ' ').slice(0, SHOWN_CHARACTERS);
  const more = location === null ? beginning && `: ${beginning}` : ` to ${location}`;
  return `${what} returned ${status}${more}`;
}

/** Reads the JSON of a response. Throws `Wrong` if the response has another status or does not match the schema. */
export function jsonIn<T>(schema: z.ZodType<T>, answer: Answered, status = 200): T {
  if (answer.status !== status) throw new Wrong(`${shown(answer)}, expected ${status}`);
  const { data, error } = schema.safeParse(parsed(answer.text));
  if (error) throw new Wrong(`${shown(answer)}, which does not match the schema: ${z.prettifyError(error)}`);
  return data;
}

export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
