/** `RUNDOWN_DSN`, one setting for the address of the service, the key and the project. */
import { trimFinalSlashes } from '#shared/engine/plain-text.ts';
import { CommandFailure } from './failure.ts';

export interface Dsn {
  /** The address of the service, without a slash at its end. */
  readonly url: string;
  /** Absent for a CI job that gets a key by itself. The organization is then in the address. */
  readonly key?: string;
  readonly organization?: string;
  readonly project: string;
}

/**
 * Checks an address of a service that stands on its own, as in `RUNDOWN_URL`. Returns it without the `/v1` and the
 * slashes that people may write at its end. No error contains the text, because it may contain a key.
 */
export function normalizeServiceAddress(url: string): string {
  const refuse = (problem: string, advice: string) =>
    new CommandFailure(`The value of --url (RUNDOWN_URL) ${problem}`, advice);
  if (!URL.canParse(url)) throw refuse('is not an address', 'Use an address such as https://rundown.example.com');
  const { protocol, hostname, username, password } = new URL(url);
  if (username !== '' || password !== '')
    throw refuse('contains a key', 'Set RUNDOWN_DSN=https://<key>@<host>/<projectId> instead');
  const problem = findProblem(protocol, hostname);
  if (problem) throw refuse(problem, 'Use an address such as https://rundown.example.com');
  return trimFinalSlashes(url.trim()).replace(/\/v1$/, '');
}

/** Why a key must not be sent to this address, or `undefined`. */
function findProblem(protocol: string, hostname: string): string | undefined {
  if (protocol === 'https:') return undefined;
  if (protocol !== 'http:') return 'does not begin with https://';
  if (LOOPBACK.test(hostname)) return undefined;
  return 'begins with http://, which would send the key unencrypted. http:// is allowed only for localhost';
}

const FORM = 'https://<key>@<host>/<projectId>';

/**
 * Parses `https://<key>@<host>/<projectId>`, or `https://<host>/<organizationId>/<projectId>` of a CI job that needs no
 * key. The address may have a path before the ids. No error contains a part of the text, because each part of a
 * malformed one could be the key.
 */
export function parseDsn(text: string): Dsn {
  if (!URL.canParse(text)) throw explainMalformedDsn(`does not have the form ${FORM}`);
  const { protocol, username, password, host, hostname, pathname, search, hash } = new URL(text);
  const problem = findProblem(protocol, hostname);
  if (problem) throw explainMalformedDsn(problem);
  if (password !== '')
    throw explainMalformedDsn(username === '' ? 'has no key before the host' : 'has a colon in its key');
  if (search !== '' || hash !== '') throw explainMalformedDsn('continues after the id of the project');
  const [, path = '', id = ''] = /^(.*)\/([^/]*)$/.exec(trimFinalSlashes(pathname)) ?? [];
  const [key, project] = [decodePart(username), decodePart(id)];
  if (project === '') throw explainMalformedDsn('has no project id after the host');
  if (key !== '') return { url: `${protocol}//${host}${trimFinalSlashes(path)}`, key, project };
  const [, base = '', organizationText = ''] = /^(.*)\/([^/]+)$/.exec(trimFinalSlashes(path)) ?? [];
  if (organizationText === '') throw explainMalformedDsn('has no key before the host');
  return { url: `${protocol}//${host}${trimFinalSlashes(base)}`, organization: decodePart(organizationText), project };
}

const LOOPBACK = /^(?:localhost|[a-z0-9-]+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

function decodePart(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw explainMalformedDsn('contains a % that encodes no character');
  }
}

const explainMalformedDsn = (problem: string): CommandFailure =>
  new CommandFailure(
    `RUNDOWN_DSN ${problem}`,
    `Copy it again from the settings of the project or the page of a new API key. Its form is ${FORM}`,
  );
