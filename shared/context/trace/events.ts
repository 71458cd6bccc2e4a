/**
 * Extracts console entries and network requests (§2.4) from trace events. Never reads headers or bodies.
 *
 * The format is the same in all `KNOWN_VERSIONS`: Playwright 1.45 (7) to 1.65 (10). Older versions lack the monotonic time of
 * the wall clock, so event times would be unknown.
 */

import type { TraceErrorAnalysis } from '#shared/model/tests/evidence.ts';
import { TRACE_LIMITS } from './limits.ts';
import { integerAt, memberOf, numberAt, textAt } from './members.ts';
import type { Candidate } from './shortlist.ts';

/** The first characters in UTF-16 units, without splitting a character. */
function shortened(text: string, characters: number): { readonly text: string; readonly isCut: boolean } {
  if (text.length <= characters) return { text: text.toWellFormed(), isCut: false };
  const endsInPair = (text.codePointAt(characters - 1) ?? 0) > 0xffff;
  const beginning = text.slice(0, endsInPair ? characters - 1 : characters);
  // Copies the text: a slice would keep the original in memory, which may be a hundred times longer.
  return { text: Buffer.from(beginning).toString(), isCut: true };
}

/** Removes everything before the `@` of an address, because many tokens are sent as user names. */
const urlWithoutCredentials = (url: string): string => url.replace(/^([^:/?#]*:\/\/)[^/?#]*@/, '$1');

/** Removes credentials from addresses inside a text, where quotes and spaces end them. */
const textWithoutCredentials = (text: string): string => text.replaceAll(/:\/\/[\w.~%!$&'()*+,;=:@-]*@/g, '://');

export const KNOWN_VERSIONS = { first: 7, last: 10 };

export type ConsoleEntry = TraceErrorAnalysis['consoleEntries'][number];
export type NetworkRequest = TraceErrorAnalysis['networkRequests'][number];

/** Converts an event of this type. Returns `undefined` for an unknown format. */
type Reading<Item> = Candidate<Item> | undefined;

const PROBLEM_TYPES = new Set(['error', 'warning', 'assert']);
/** The maximum value of `Date`. */
const LAST_MILLISECOND = 8.64e15;
const { textCharacters, urlCharacters, wordCharacters } = TRACE_LIMITS;

/**
 * Converts a console message. `messageType` is Playwright's type (`log`, `warning`, `error`...). Lines and columns
 * count from 0, as in the trace. `epoch` is the time of the trace clock's zero, in milliseconds.
 */
export function consoleEntryOf(event: unknown, epoch: number): Reading<ConsoleEntry> {
  const messageType = textAt(event, 'messageType');
  const text = textAt(event, 'text');
  if (messageType === undefined || text === undefined) return undefined;
  const location = memberOf(event, 'location');
  return consoleEntry({
    time: timeAt(event, 'time', epoch),
    messageType,
    text,
    location: {
      url: textAt(location, 'url') ?? '',
      lineNumber: integerAt(location, 'lineNumber') ?? 0,
      columnNumber: integerAt(location, 'columnNumber') ?? 0,
    },
  });
}

/** Formats a `pageError` event like the browser console. Older traces have no location. */
export function pageErrorOf(event: unknown, epoch: number): Reading<ConsoleEntry> {
  const params = memberOf(event, 'params');
  const error = memberOf(memberOf(params, 'error'), 'error');
  const message = textAt(error, 'message');
  if (message === undefined) return undefined;
  const stack = textAt(error, 'stack') ?? '';
  const name = textAt(error, 'name') || 'Error';
  const location = memberOf(params, 'location');
  return consoleEntry({
    time: timeAt(event, 'time', epoch),
    messageType: 'error',
    // Some browsers omit the message at the start of the stack.
    text: `Uncaught ${stack.includes(message) && stack !== '' ? stack : `${name}: ${message}`}`,
    location: {
      url: textAt(location, 'url') ?? '',
      lineNumber: integerAt(location, 'line') ?? 0,
      columnNumber: integerAt(location, 'column') ?? 0,
    },
  });
}

type WithOptionalTime<Item> = Omit<Item, 'time'> & { readonly time: number | undefined };

function consoleEntry({ time, messageType, text, location }: WithOptionalTime<ConsoleEntry>): Reading<ConsoleEntry> {
  if (time === undefined) return undefined;
  const type = shortened(messageType, wordCharacters);
  const shown = shortened(textWithoutCredentials(text), textCharacters);
  const url = shortened(urlWithoutCredentials(location.url), urlCharacters);
  return {
    item: { time, messageType: type.text, text: shown.text, location: { ...location, url: url.text } },
    isProblem: PROBLEM_TYPES.has(messageType),
    characters: type.text.length + shown.text.length + url.text.length,
    isCut: type.isCut || shown.isCut || url.isCut,
  };
}

/**
 * Converts a network request. `'internal'`: a request without network, as for `data:`, `blob:`, `about:` and
 * extensions.
 */
export function networkRequestOf(event: unknown, epoch: number): Reading<NetworkRequest> | 'internal' {
  const snapshot = memberOf(event, 'snapshot');
  const request = memberOf(snapshot, 'request');
  const address = textAt(request, 'url');
  const word = textAt(request, 'method');
  // The status is -1 if there was no response.
  const status = integerAt(memberOf(snapshot, 'response'), 'status');
  const time = timeAt(snapshot, '_monotonicTime', epoch);
  if (address === undefined || word === undefined || status === undefined || time === undefined) return undefined;
  if (!/^(https?|wss?):/i.test(address)) return 'internal';
  const url = shortened(urlWithoutCredentials(address), urlCharacters);
  const method = shortened(word, wordCharacters);
  return {
    item: { time, url: url.text, status, method: method.text },
    isProblem: status <= 0 || status >= 400,
    characters: url.text.length + method.text.length,
    isCut: url.isCut || method.isCut,
  };
}

function timeAt(value: unknown, name: string, epoch: number): number | undefined {
  const time = Math.round(epoch + (numberAt(value, name) ?? Number.NaN));
  return Math.abs(time) <= LAST_MILLISECOND ? time : undefined;
}
