/** Warns if the client and the service are so many versions apart that they are not tested with each other. */
import PACKAGE from '../package/package.json' with { type: 'json' };
import { normalizeServiceAddress } from './dsn.ts';

const VERSION = /^(\d{1,6})\.(\d{1,6})\.\d{1,6}$/;
const MOST_MINOR_VERSIONS_APART = 1;

/** `undefined` if the versions go together, or if the response names no version. `url`: the address of the service. */
export function formatVersionNotice(headers: Headers, url: string): string | undefined {
  // Services before 0.2.0 do not send their version.
  const version = headers.get('rundown-version') ?? '';
  const service = VERSION.exec(version);
  const client = VERSION.exec(PACKAGE.version);
  if (!service || !client) return undefined;
  const minorVersions = Math.abs(Number(service[2]) - Number(client[2]));
  if (service[1] === client[1] && minorVersions <= MOST_MINOR_VERSIONS_APART) return undefined;
  return `this client has version ${PACKAGE.version}, and the service ${version}. Install the client that goes with it: npm i -D ${normalizeServiceAddress(url)}/client/${version}/rundown-cli.tgz`;
}
