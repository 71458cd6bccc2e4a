/** Requests to the service. */
import { setTimeout } from 'node:timers/promises';
import { parseJson } from '#shared/engine/json.ts';
import { explainForeignResponse } from './answers.ts';
import type { CommandLine } from './options.ts';
import { normalizeServiceAddress } from './settings/dsn.ts';
import { CommandFailure, describeNetworkProblem, describeRedirect, NotFound, RefusedFile } from './settings/failure.ts';
import { explainFirewall } from './settings/firewall.ts';
import { type KeyPlace, sendWithKey } from './settings/job-key.ts';
import { findText } from './settings/json.ts';
import { formatVersionNotice } from './settings/matching-version.ts';

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

export function makeService(commandLine: CommandLine): Service {
  const url = normalizeServiceAddress(requireOption(commandLine, 'url'));
  const project = requireOption(commandLine, 'project');
  const organization = commandLine.text('organization');
  const key = organization === undefined ? requireOption(commandLine, 'key') : commandLine.text('key');
  let isTold = false;
  const ask = async (path: string, { query = {}, accept = 'application/json', ...call }: Call = {}) => {
    const address = new URL(`${url}/v1${path}`);
    for (const [name, value] of Object.entries(query))
      for (const one of [value ?? []].flat()) address.searchParams.append(name, one);
    const request = { ...call, headers: { accept }, place: { url, project, key, organization } };
    return sendRepeatedly(address.href, request, ({ headers }) => {
      const notice = isTold ? undefined : formatVersionNotice(headers, url);
      if (notice === undefined) return;
      isTold = true;
      process.stderr.write(`Rundown  ${notice}\n`);
    });
  };
  return {
    project,
    json: async (path, call) => parseJson(await ask(path, call)) ?? refuseForeignResponse(),
    text: ask,
  };
}

function refuseForeignResponse(): never {
  throw explainForeignResponse();
}

const VARIABLES = { url: 'RUNDOWN_URL', project: 'RUNDOWN_PROJECT', key: 'RUNDOWN_API_KEY' } as const;

function requireOption(commandLine: CommandLine, name: keyof typeof VARIABLES): string {
  const value = commandLine.text(name);
  if (value) return value;
  throw new CommandFailure(
    `The option --${name} is missing`,
    `Set it, or the variable RUNDOWN_DSN or ${VARIABLES[name]}`,
  );
}

interface ServiceRequest extends Pick<Call, 'method' | 'body'> {
  readonly headers?: Readonly<Record<string, string>>;
  /** Where the key is from. Absent for presigned URLs, which need none. */
  readonly place?: KeyPlace;
}

/**
 * Returns the body of the response. Retries after network errors, server errors and 429. This is safe, because no
 * repeated request records results twice. `hear` is called with each response, whatever its status.
 */
export async function sendRepeatedly(
  address: string,
  request: ServiceRequest,
  hear: (answer: Response) => void = () => {},
): Promise<string> {
  let problem = '';
  let retryAfterSeconds = 0;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    if (attempt > 0) await setTimeout(Math.max(PAUSE_MILLISECONDS * 2 ** attempt, retryAfterSeconds * 1000));
    const reply = await sendOnce(address, request).catch(toNetworkProblem);
    if (typeof reply === 'string') {
      problem = reply;
      continue;
    }
    const { answer, text } = reply;
    hear(answer);
    if (answer.ok) return text;
    const isPresigned = request.place === undefined;
    if (answer.status !== 429 && answer.status < 500) throw readRefusal(reply, isPresigned);
    retryAfterSeconds = Number(answer.headers.get('retry-after')) || 0;
    if (retryAfterSeconds > LONGEST_RETRY_AFTER_SECONDS) throw readRefusal(reply, isPresigned);
    problem = `the server answered ${answer.status}`;
  }
  const { host } = new URL(address);
  throw new CommandFailure(
    `The request to ${host} failed: ${problem}`,
    'Check the address and the network, and try again',
  );
}

interface Reply {
  readonly answer: Response;
  readonly text: string;
}

/** Also reads the body, because the connection may break in the middle of the response. */
async function sendOnce(address: string, { place, headers, ...request }: ServiceRequest): Promise<Reply> {
  const signal = AbortSignal.timeout(REQUEST_MILLISECONDS);
  const send = (more: Readonly<Record<string, string>>) =>
    fetch(address, { ...request, headers: { ...headers, ...more }, signal });
  const answer = place
    ? await sendWithKey(place, (key) => send({ authorization: `Bearer ${key}` }), { signal })
    : await send({});
  return { answer, text: await answer.text() };
}

function toNetworkProblem(error: unknown): string {
  if (error instanceof CommandFailure) throw error;
  return describeNetworkProblem(error);
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

function readRefusal({ answer, text }: Reply, isPresigned: boolean): CommandFailure {
  // The link may have expired, or the network may have changed the request.
  if (isPresigned) return new CommandFailure(`The file storage answered ${answer.status}`, 'Upload the file again');
  const body = parseJson(text);
  const obstacle = describeRedirect(answer) ?? explainFirewall(answer, body);
  if (obstacle !== undefined) return new CommandFailure(obstacle, 'Then try again: nothing was recorded');
  return new (getFailureKind(answer.status))(
    findText(body, 'error') ?? `The service answered ${answer.status}`,
    NEXT[answer.status] ?? 'Solve the problem, and try again',
  );
}

function getFailureKind(status: number): typeof CommandFailure {
  if (status === 404) return NotFound;
  return REFUSED_FILES.includes(status) ? RefusedFile : CommandFailure;
}
