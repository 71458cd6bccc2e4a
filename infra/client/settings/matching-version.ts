/** Warns if the client and the service are so many versions apart that they are not tested with each other. */
import { withoutEnd } from '#shared/engine/plain-text.ts';
import PACKAGE from '../package/package.json' with { type: 'json' };

/** The header with which the service names its version. Services before 0.2.0 do not send it. */
const VERSION_HEADER = 'rundown-version';
const VERSION = /^(\d{1,6})\.(\d{1,6})\.\d{1,6}$/;
const MOST_MINOR_VERSIONS_APART = 1;

/**
 * A notice if the service and this client have different major versions, or are more than one minor version apart. It
 * contains the command that installs the client of the service. `undefined` if the versions go together, or if the
 * response does not name a version. `url` is the address of the service.
 */
export function versionNotice(headers: Headers, url: string): string | undefined {
  const version = headers.get(VERSION_HEADER) ?? '';
  const service = VERSION.exec(version);
  const own = VERSION.exec(PACKAGE.version);
  if (!service || !own) return undefined;
  const minorVersions = Math.abs(Number(service[2]) - Number(own[2]));
  if (service[1] === own[1] && minorVersions <= MOST_MINOR_VERSIONS_APART) return undefined;
  const origin = withoutEnd(url, '/').replace(/\/v1$/, '');
  return `this client has version ${PACKAGE.version}, and the service ${version}. Install the client that goes with it: npm i -D ${origin}/client/${version}/rundown-cli.tgz`;
}
