/** How pages show an application and where its authorization response goes. */
import { beginningOf, visibleLine } from '#shared/engine/plain-text.ts';
import { LOOPBACK_REDIRECTS } from './redirect-uri.ts';

/** The client id of `npm run login`, which is part of this service. */
export const COMMAND_LINE = 'rundown-cli';

/** A longer name could push the rest of the page out of sight. */
const NAME_CHARACTERS = 64;
const HOST_CHARACTERS = 253;

export interface Application {
  /** `host`: identified by the host that serves its metadata document. `registered`: nothing about it is verified. */
  readonly kind: 'own' | 'host' | 'registered';
  /** The host of a URL client id, with the port. */
  readonly host?: string;
  /** The claimed name on one line, with invisible characters spelled out. */
  readonly name?: string;
}

export interface Client {
  readonly clientId: string;
  readonly clientName?: string | undefined;
}

export function applicationOf({ clientId, clientName }: Client): Application {
  const name = shownName(clientName ?? '');
  const named = name === '' ? {} : { name };
  if (clientId === COMMAND_LINE) return { kind: 'own', ...named };
  const url = URL.canParse(clientId) ? new URL(clientId) : undefined;
  if (url?.protocol !== 'https:') return { kind: 'registered', ...named };
  // URLs spell international hosts in ASCII (Punycode), so no letter can be mistaken for another one.
  return { kind: 'host', host: beginningOf(url.host, HOST_CHARACTERS), ...named };
}

function shownName(text: string): string {
  const line = visibleLine(text);
  const short = beginningOf(line, NAME_CHARACTERS);
  return short.length < line.length ? `${short}…` : line;
}

/** Where the authorization response goes: to a program on the person's computer, or to a host. */
export type AnswerPlace =
  | { readonly kind: 'computer'; readonly scheme?: string }
  | { readonly kind: 'host'; readonly host: string };

export function answerPlaceOf(redirectUri: string): AnswerPlace {
  const { protocol, hostname, host } = new URL(redirectUri);
  if (protocol === 'https:' && !LOOPBACK_REDIRECTS.includes(hostname)) return { kind: 'host', host };
  if (protocol === 'http:' || protocol === 'https:') return { kind: 'computer' };
  return { kind: 'computer', scheme: shownName(protocol) };
}

/** An origin that can be written into a Content-Security-Policy as it is. IPv6 addresses and `;` cannot. */
const PLAIN_ORIGIN = /^https?:\/\/[a-z0-9.-]+(?::\d+)?$/;

/** The source for `form-action` that allows the consent form to redirect to the client. */
export function formTargetOf(redirectUri: string): string {
  const { protocol, origin } = new URL(redirectUri);
  return PLAIN_ORIGIN.test(origin) ? origin : protocol;
}
