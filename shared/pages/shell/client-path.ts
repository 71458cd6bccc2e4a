/** Where the service serves its own client, the npm package with the reporters and the command `rundown`. */

/** The version of the client that was built together with this service. */
declare const BUILT_CLIENT_VERSION: string;

export const CLIENT_FILE = 'rundown-cli.tgz';

/**
 * The URL of a version of the client. Projects that install it keep this URL and the hash of the file in their lock
 * file, so the URL must return the same bytes for ever.
 */
export const clientUrl = (origin: string, version: string = BUILT_CLIENT_VERSION): string =>
  `${origin}/client/${version}/${CLIENT_FILE}`;
