/** Describes, for the consent page, which application asks for access and where the authorization response is sent. */
import { shortenToLine, takeFirstCharacters } from '#shared/engine/plain-text.ts';
import { LOOPBACK_REDIRECTS } from './redirect-uri.ts';

/** The client id of the command `npm run login`, which is part of this service. */
export const COMMAND_LINE = 'rundown-cli';

/** The maximum length of a displayed name. A longer name could push the rest of the page out of sight. */
const NAME_CHARACTERS = 64;
const HOST_CHARACTERS = 253;

export interface Application {
  /**
   * `own`: the command `npm run login` of this service. `host`: an application that is identified by the host that
   * serves its metadata document. `registered`: an application about which nothing is verified.
   */
  readonly kind: 'own' | 'host' | 'registered';
  /** The host and port of the client id, if the client id is a URL. */
  readonly host?: string;
  /** The name that the application gives itself, on one line and with invisible characters made visible. */
  readonly name?: string;
}

export interface Client {
  readonly clientId: string;
  readonly clientName?: string | undefined;
}

export function describeApplication({ clientId, clientName }: Client): Application {
  const name = shortenToLine(clientName ?? '', NAME_CHARACTERS);
  const nameField = name === '' ? {} : { name };
  if (clientId === COMMAND_LINE) return { kind: 'own', ...nameField };
  const url = URL.canParse(clientId) ? new URL(clientId) : undefined;
  if (url?.protocol !== 'https:') return { kind: 'registered', ...nameField };
  // `URL` converts international host names to ASCII (Punycode), so no letter can be mistaken for a similar one.
  return { kind: 'host', host: takeFirstCharacters(url.host, HOST_CHARACTERS), ...nameField };
}

/** Where the authorization response is sent: to a program on the person's computer, or to a host. */
export type AnswerPlace =
  | { readonly kind: 'computer'; readonly scheme?: string }
  | { readonly kind: 'host'; readonly host: string };

export function deriveAnswerPlace(redirectUri: string): AnswerPlace {
  const { protocol, hostname, host } = new URL(redirectUri);
  if (protocol === 'https:' && !LOOPBACK_REDIRECTS.includes(hostname)) return { kind: 'host', host };
  if (protocol === 'http:' || protocol === 'https:') return { kind: 'computer' };
  return { kind: 'computer', scheme: shortenToLine(protocol, NAME_CHARACTERS) };
}

/** Usable unchanged in a Content-Security-Policy: no IPv6 address, and no `;`. */
const PLAIN_ORIGIN = /^https?:\/\/[a-z0-9.-]+(?::\d+)?$/;

/** The value for the `form-action` directive that allows the consent form to redirect to the client. */
export function deriveFormTarget(redirectUri: string): string {
  const { protocol, origin } = new URL(redirectUri);
  return PLAIN_ORIGIN.test(origin) ? origin : protocol;
}
