/** Where the service serves its own client, the npm package with the reporters and the command `rundown`. */

/** The version of the client that was built together with this service. */
declare const BUILT_CLIENT_VERSION: string;

export const CLIENT_FILE = 'rundown-cli.tgz';

/** Projects keep the URL and the hash of its file in their lock files, so it must return the same bytes for ever. */
export const buildClientUrl = (origin: string, version: string = BUILT_CLIENT_VERSION): string =>
  `${origin}/client/${version}/${CLIENT_FILE}`;
