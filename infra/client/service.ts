/** Requests to the service. */
import { setTimeout } from 'node:timers/promises';
import { parseJson } from '#shared/engine/json.ts';
import type { Given } from './options.ts';
import { serviceAddress } from './settings/dsn.ts';
import { CommandFailure, networkProblem, RefusedFile } from './settings/failure.ts';
import { textIn } from './settings/json.ts';
import { versionNotice } from './settings/matching-version.ts';

const ATTEMPTS = 4;
const PAUSE_MILLISECONDS = 500;
const REQUEST_MILLISECONDS = 60_000;
/** The longest `Retry-After` that is waited for. The limit of requests per minute never asks for more. */
const LONGEST_RETRY_AFTER_SECONDS = 60;

export type Query = Readonly<Record<string, string | readonly string[] | undefined>>;

interface Call {
  readonly method?: 'GET' | 'POST' | 'PUT';
  readonly query?: Query;
  readonly body?: Uint8Array<ArrayBuffer>;
  readonly accept?: string;
}

export interface Service {
  readonly project: string;
  readonly json: (path: string, call?: Call) => Promise<unknown>;
  readonly text: (path: string, call?: Call) => Promise<string>;
}

export function serviceOf(given: Given): Service {
  const url = serviceAddress(required(given, 'url'));
  const project = required(given, 'project');
  const key = required(given, 'key');
  let isTold = false;
  const ask = async (path: string, { query = {}, accept = 'application/json', ...call }: Call = {}) => {
    const address = new URL(`${url}/v1${path}`);
    for (const [name, value] of Object.entries(query))
      for (const one of [value ?? []].flat()) address.searchParams.append(name, one);
    const sent = { ...call, headers: { authorization: `Bearer ${key}`, accept } };
    return sendRepeatedly(address.href, sent, ({ headers }) => {
      const notice = isTold ? undefined : versionNotice(headers, url);
      if (notice === undefined) return;
      isTold = true;
      process.stderr.write(`Rundown  ${notice}\n`);
    });
  };
  return {
    project,
    json: async (path, call) => (await ask(path, call)).json(),
    text: async (path, call) => (await ask(path, call)).text(),
  };
}

const VARIABLES = { url: 'RUNDOWN_URL', project: 'RUNDOWN_PROJECT', key: 'RUNDOWN_API_KEY' } as const;

function required(given: Given, name: keyof typeof VARIABLES): string {
  const value = given.text(name);
  if (value) return value;
  throw new CommandFailure(
    `The option --${name} is missing`,
    `Set it, or the variable RUNDOWN_DSN or ${VARIABLES[name]}`,
  );
}

interface Sent extends Pick<Call, 'method' | 'body'> {
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the address is a presigned URL, so that another API key would not help. */
  readonly isPresigned?: boolean;
}

/**
 * Sends a request, and retries it after network errors, server errors and 429 (too many requests). Retries are safe,
 * because no request of this program records results twice if it is repeated. `hear` is called with each response,
 * whatever its status.
 */
export async function sendRepeatedly(
  address: string,
  { isPresigned = false, ...sent }: Sent,
  hear: (answer: Response) => void = () => {},
): Promise<Response> {
  let problem = '';
  let retryAfterSeconds = 0;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    if (attempt > 0) await setTimeout(Math.max(PAUSE_MILLISECONDS * 2 ** attempt, retryAfterSeconds * 1000));
    const signal = AbortSignal.timeout(REQUEST_MILLISECONDS);
    const answer = await fetch(address, { ...sent, signal }).catch(networkProblem);
    if (typeof answer === 'string') {
      problem = answer;
      continue;
    }
    hear(answer);
    if (answer.ok) return answer;
    if (answer.status !== 429 && answer.status < 500) throw await refusal(answer, isPresigned);
    retryAfterSeconds = Number(answer.headers.get('retry-after')) || 0;
    if (retryAfterSeconds > LONGEST_RETRY_AFTER_SECONDS) throw await refusal(answer, isPresigned);
    problem = `the server answered ${answer.status}`;
  }
  const { host } = new URL(address);
  throw new CommandFailure(
    `The request to ${host} failed: ${problem}`,
    'Check the address and the network, and try again',
  );
}

const NEXT: Readonly<Record<number, string>> = {
  401: 'Check the API key (RUNDOWN_DSN or RUNDOWN_API_KEY)',
  403: 'Use an API key with Read & Write. An Admin creates one in the settings',
  404: 'Check the ids, and that the key belongs to the same organization',
  // Compressing it would not help: files are sent compressed, and the limit counts decompressed bytes.
  413: 'Split the report, or leave out --dry-run if it is set',
  429: 'Try again when the month has ended, or when the operator of the service has raised the limit',
};

/** The statuses with which the service refuses one file. It may still accept other files. */
const REFUSED_FILES = [400, 413];

async function refusal(answer: Response, isPresigned: boolean): Promise<CommandFailure> {
  // The link may have expired, or the network may have changed the request.
  if (isPresigned) return new CommandFailure(`The file storage answered ${answer.status}`, 'Upload the file again');
  const text = await answer.text();
  const Kind = REFUSED_FILES.includes(answer.status) ? RefusedFile : CommandFailure;
  return new Kind(
    textIn(parseJson(text), 'error') ?? `The service answered ${answer.status}`,
    NEXT[answer.status] ?? 'Solve the problem, and try again',
  );
}
