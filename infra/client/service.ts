/** Requests to the service. */
import { setTimeout } from 'node:timers/promises';
import { parseJson } from '#shared/engine/json.ts';
import type { CommandLine } from './options.ts';
import { normalizeServiceAddress } from './settings/dsn.ts';
import { CommandFailure, describeNetworkProblem, NotFound, RefusedFile } from './settings/failure.ts';
import { explainFirewall } from './settings/firewall.ts';
import { findKey, type KeyPlace } from './settings/job-key.ts';
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
    const value = await readKey({ url, project, key, organization });
    const request = { ...call, headers: { authorization: `Bearer ${value}`, accept } };
    return sendRepeatedly(address.href, request, ({ headers }) => {
      const notice = isTold ? undefined : formatVersionNotice(headers, url);
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

async function readKey(place: KeyPlace): Promise<string> {
  try {
    return await findKey(place, { attempts: ATTEMPTS });
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw new CommandFailure(
      `The CI job got no key: ${describeNetworkProblem(error)}`,
      'Check the address and the network, and try again',
    );
  }
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
  /** Whether the address is a presigned URL, so that another API key would not help. */
  readonly isPresigned?: boolean;
}

/**
 * Retries after network errors, server errors and 429. This is safe, because no repeated request records results twice.
 * `hear` is called with each response, whatever its status.
 */
export async function sendRepeatedly(
  address: string,
  { isPresigned = false, ...request }: ServiceRequest,
  hear: (answer: Response) => void = () => {},
): Promise<Response> {
  let problem = '';
  let retryAfterSeconds = 0;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    if (attempt > 0) await setTimeout(Math.max(PAUSE_MILLISECONDS * 2 ** attempt, retryAfterSeconds * 1000));
    const signal = AbortSignal.timeout(REQUEST_MILLISECONDS);
    const answer = await fetch(address, { ...request, signal }).catch(describeNetworkProblem);
    if (typeof answer === 'string') {
      problem = answer;
      continue;
    }
    hear(answer);
    if (answer.ok) return answer;
    if (answer.status !== 429 && answer.status < 500) throw await readRefusal(answer, isPresigned);
    retryAfterSeconds = Number(answer.headers.get('retry-after')) || 0;
    if (retryAfterSeconds > LONGEST_RETRY_AFTER_SECONDS) throw await readRefusal(answer, isPresigned);
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

async function readRefusal(answer: Response, isPresigned: boolean): Promise<CommandFailure> {
  // The link may have expired, or the network may have changed the request.
  if (isPresigned) return new CommandFailure(`The file storage answered ${answer.status}`, 'Upload the file again');
  const body = parseJson(await answer.text());
  const firewall = explainFirewall(answer, body);
  if (firewall !== undefined) return new CommandFailure(firewall, 'Then try again: nothing was recorded');
  return new (getFailureKind(answer.status))(
    findText(body, 'error') ?? `The service answered ${answer.status}`,
    NEXT[answer.status] ?? 'Solve the problem, and try again',
  );
}

function getFailureKind(status: number): typeof CommandFailure {
  if (status === 404) return NotFound;
  return REFUSED_FILES.includes(status) ? RefusedFile : CommandFailure;
}
