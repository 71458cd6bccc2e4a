/** `RUNDOWN_DSN`, one setting for the address of the service, the key and the project. */
import { withoutFinalSlashes } from '#shared/engine/plain-text.ts';
import { CommandFailure } from './failure.ts';

export interface Dsn {
  /** The address of the service, without a slash at its end. */
  readonly url: string;
  readonly key: string;
  readonly project: string;
}

/** The address of a service without the `/v1` and the slashes that people may write at its end. */
export const serviceAddress = (url: string): string => withoutFinalSlashes(url).replace(/\/v1$/, '');

const FORM = 'https://<key>@<host>/<projectId>';

/**
 * Parses `https://<key>@<host>/<projectId>`. The address may have a path before the id of the project. No error
 * contains a part of the text, because each part of a malformed one could be the key.
 */
export function parseDsn(text: string): Dsn {
  if (!URL.canParse(text)) throw malformed(`does not have the form ${FORM}`);
  const { protocol, username, password, host, hostname, pathname, search, hash } = new URL(text);
  if (protocol !== 'https:' && protocol !== 'http:') throw malformed('does not begin with https://');
  if (protocol === 'http:' && !LOOPBACK.test(hostname))
    throw malformed('begins with http://, which would send the key unencrypted. http:// is allowed only for localhost');
  if (username === '') throw malformed('has no key before the host');
  if (password !== '') throw malformed('has a colon in its key');
  if (search !== '' || hash !== '') throw malformed('continues after the id of the project');
  const [, path = '', id = ''] = /^(.*)\/([^/]*)$/.exec(withoutFinalSlashes(pathname)) ?? [];
  const [key, project] = [decoded(username), decoded(id)];
  if (project === '') throw malformed('has no project id after the host');
  return { url: `${protocol}//${host}${withoutFinalSlashes(path)}`, key, project };
}

const LOOPBACK = /^(?:localhost|[a-z0-9-]+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw malformed('contains a % that encodes no character');
  }
}

const malformed = (problem: string): CommandFailure =>
  new CommandFailure(
    `RUNDOWN_DSN ${problem}`,
    `Copy it again from the settings of the project or the page of a new API key. Its form is ${FORM}`,
  );
