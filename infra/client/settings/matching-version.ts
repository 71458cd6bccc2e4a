/** Warns if the client and the service are so many versions apart that they are not tested with each other. */
import PACKAGE from '../package/package.json' with { type: 'json' };
import { serviceAddress } from './dsn.ts';

const VERSION = /^(\d{1,6})\.(\d{1,6})\.\d{1,6}$/;
const MOST_MINOR_VERSIONS_APART = 1;

/**
 * A notice if the service and this client have different major versions, or are more than one minor version apart. It
 * contains the command that installs the client of the service. `undefined` if the versions go together, or if the
 * response does not name a version. `url` is the address of the service.
 */
export function versionNotice(headers: Headers, url: string): string | undefined {
  // Services before 0.2.0 do not send their version.
  const version = headers.get('rundown-version') ?? '';
  const service = VERSION.exec(version);
  const own = VERSION.exec(PACKAGE.version);
  if (!service || !own) return undefined;
  const minorVersions = Math.abs(Number(service[2]) - Number(own[2]));
  if (service[1] === own[1] && minorVersions <= MOST_MINOR_VERSIONS_APART) return undefined;
  return `this client has version ${PACKAGE.version}, and the service ${version}. Install the client that goes with it: npm i -D ${serviceAddress(url)}/client/${version}/rundown-cli.tgz`;
}
