/**
 * The key of a CI job that has none: the job shows the identity token of its CI system, and gets a key for an hour that
 * records its own build. Nothing here is ever printed but what the token states.
 */
import { parseJson } from '#shared/engine/json.ts';
import { makeVisibleLine } from '#shared/engine/plain-text.ts';
import { CommandFailure, describeRedirect } from './failure.ts';
import { explainFirewall } from './firewall.ts';
import { findText, isObject } from './json.ts';

export interface KeyPlace {
  /** The address of the service, which is also the audience of the token. */
  readonly url: string;
  readonly project: string;
  /** An API key. Without one, the organization is needed. */
  readonly key?: string | undefined;
  readonly organization?: string | undefined;
}

interface Wait {
  readonly signal?: AbortSignal;
}

const REQUEST_MILLISECONDS = 20_000;
/** Before the hour ends, whatever the clock of this machine says. */
const RENEWED_AFTER_MILLISECONDS = 50 * 60_000;

const keys = new Map<string, KeptKey>();

/**
 * Throws `CommandFailure` if the job cannot get a key, and another error if it may get one later. A key may end before it
 * is renewed, because the clock of a machine that sleeps stands still. Then the request is sent again with a new key.
 */
export async function sendWithKey(
  place: KeyPlace,
  send: (key: string) => Promise<Response>,
  { signal }: Wait = {},
): Promise<Response> {
  if (place.key !== undefined) return send(place.key);
  const entry = findKey(place, signal);
  const answer = await send(await entry.key);
  if (answer.status !== UNAUTHORIZED) return answer;
  await answer.body?.cancel();
  // Another request may have got a new key meanwhile.
  if (keys.get(entry.name) === entry) keys.delete(entry.name);
  return send(await findKey(place, signal).key);
}

interface KeptKey {
  readonly name: string;
  readonly at: number;
  readonly key: Promise<string>;
}

function findKey(place: KeyPlace, signal?: AbortSignal): KeptKey {
  const name = JSON.stringify([place.url, place.organization, place.project]);
  const entry = keys.get(name);
  if (entry && performance.now() - entry.at < RENEWED_AFTER_MILLISECONDS) return entry;
  const newEntry = { name, at: performance.now(), key: exchange(place, signal) };
  keys.set(name, newEntry);
  newEntry.key.catch(() => {
    if (keys.get(name) === newEntry) keys.delete(name);
  });
  return newEntry;
}

async function exchange({ url, organization = '', project }: KeyPlace, signal?: AbortSignal): Promise<string> {
  const token = await readIdentityToken(url, signal);
  const path = `/v1/organizations/${encodeURIComponent(organization)}/projects/${encodeURIComponent(project)}/build-credentials`;
  const answer = await fetch(url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}` },
    signal: limitTime(signal),
  });
  const body = parseJson(await answer.text());
  const key = isObject(body) ? findText(body['data'], 'credential') : undefined;
  if (answer.ok && key !== undefined) return key;
  if (answer.status === CONFLICT || answer.status === TOO_MANY || answer.status >= SERVER_FAULT)
    throw new Error(findText(body, 'error') ?? `The service answered ${answer.status}`);
  const obstacle = describeRedirect(answer) ?? explainFirewall(answer, body);
  if (obstacle !== undefined) throw new CommandFailure(obstacle, 'Then try again');
  if (findText(body, 'error') === undefined)
    throw new CommandFailure('The response is not from Rundown', 'Check the address in RUNDOWN_DSN');
  throw new CommandFailure(
    `The project does not trust this CI job (${answer.status}). ${describeToken(token)}`,
    'An Admin lists its repository under Trusted CI in the settings of the project',
  );
}

const UNAUTHORIZED = 401;
const CONFLICT = 409;
const TOO_MANY = 429;
const SERVER_FAULT = 500;

const limitTime = (signal?: AbortSignal): AbortSignal => {
  const limit = AbortSignal.timeout(REQUEST_MILLISECONDS);
  return signal ? AbortSignal.any([signal, limit]) : limit;
};

async function readIdentityToken(audience: string, signal?: AbortSignal): Promise<string> {
  const { env } = process;
  const { RUNDOWN_ID_TOKEN, ACTIONS_ID_TOKEN_REQUEST_URL, ACTIONS_ID_TOKEN_REQUEST_TOKEN } = env;
  if (RUNDOWN_ID_TOKEN) return RUNDOWN_ID_TOKEN;
  if (!ACTIONS_ID_TOKEN_REQUEST_URL || !ACTIONS_ID_TOKEN_REQUEST_TOKEN)
    throw new CommandFailure('There is no API key, and this job has no identity token', explainMissing(audience));
  const address = new URL(ACTIONS_ID_TOKEN_REQUEST_URL);
  address.searchParams.set('audience', audience);
  const answer = await fetch(address, {
    headers: { authorization: `Bearer ${ACTIONS_ID_TOKEN_REQUEST_TOKEN}`, accept: 'application/json' },
    signal: limitTime(signal),
  });
  const token = findText(parseJson(await answer.text()), 'value');
  if (answer.ok && token !== undefined) return token;
  throw new Error(`GitHub Actions answered ${answer.status} to the request for an identity token`);
}

function explainMissing(audience: string): string {
  const { GITHUB_ACTIONS, GITLAB_CI } = process.env;
  if (GITHUB_ACTIONS)
    return 'Add `permissions: id-token: write` to the job. Pull requests from forks get no token: record them by a second workflow';
  if (GITLAB_CI) return `Add \`id_tokens: { RUNDOWN_ID_TOKEN: { aud: ${audience} } }\` to the job`;
  return 'Outside of GitHub Actions and GitLab CI, set RUNDOWN_DSN=https://<key>@<host>/<projectId>';
}

const NAMES = ['iss', 'aud', 'repository', 'project_path', 'ref', 'event_name', 'pipeline_source', 'environment'];

/** What the token states, for whoever compares it with the settings. The token itself stays secret. */
function describeToken(token: string): string {
  const [, payload = ''] = token.split('.');
  const claims = parseJson(Buffer.from(payload, 'base64url').toString());
  const parts = NAMES.flatMap((name) => {
    const value = findText(claims, name);
    return value === undefined ? [] : [`${name} ${value}`];
  });
  return makeVisibleLine(`Its identity token states: ${parts.join(', ') || 'nothing readable'}`);
}
