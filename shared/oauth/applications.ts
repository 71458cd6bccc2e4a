/** The names of an application and of the place that its answer goes to, as pages may show them. */
import { beginningOf, visibleLine } from '#shared/engine/plain-text.ts';
import { LOOPBACK_REDIRECTS } from './redirect-uri.ts';

/** The client of `npm run login`, which is part of this service. */
export const COMMAND_LINE = 'rundown-cli';

/** A longer name hides the rest of the page. */
const NAME_CHARACTERS = 64;
const HOST_CHARACTERS = 253;

export interface Application {
  /** `host`: it proves its name by a document there. `registered`: nobody checked anything. */
  readonly kind: 'own' | 'host' | 'registered';
  /** The host of a URL client id, with the port. */
  readonly host?: string;
  /** The claimed name on one line, with its invisible characters spelled out. */
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
  // A URL spells international hosts in ASCII, so no letter imitates another one.
  return { kind: 'host', host: beginningOf(url.host, HOST_CHARACTERS), ...named };
}

function shownName(text: string): string {
  const line = visibleLine(text);
  const short = beginningOf(line, NAME_CHARACTERS);
  return short.length < line.length ? `${short}…` : line;
}

/** The place that gets the answer: a program on the person's computer, or a host. */
export type AnswerPlace =
  | { readonly kind: 'computer'; readonly scheme?: string }
  | { readonly kind: 'host'; readonly host: string };

export function answerPlaceOf(redirectUri: string): AnswerPlace {
  const { protocol, hostname, host } = new URL(redirectUri);
  if (protocol === 'https:' && !LOOPBACK_REDIRECTS.includes(hostname)) return { kind: 'host', host };
  if (protocol === 'http:' || protocol === 'https:') return { kind: 'computer' };
  return { kind: 'computer', scheme: shownName(protocol) };
}

/** A host that is written without further meaning in a policy. IPv6 addresses and `;` have such a meaning. */
const PLAIN_ORIGIN = /^https?:\/\/[a-z0-9.-]+(?::\d+)?$/;

/** The source of the policy `form-action` that lets a form end at the client. */
export function formTargetOf(redirectUri: string): string {
  const { protocol, origin } = new URL(redirectUri);
  return PLAIN_ORIGIN.test(origin) ? origin : protocol;
}
