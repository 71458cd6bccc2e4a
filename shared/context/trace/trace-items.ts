/**
 * §2.4 Converts trace events to console entries and network requests. Never reads headers or bodies. The format is the
 * same in all versions that `EventReader` accepts.
 */
import { isValidTime } from '#shared/engine/time.ts';
import type { TraceErrorAnalysis } from '#shared/model/results/evidence.ts';
import { TRACE_LIMITS } from './limits.ts';
import type { Candidate } from './shortlist.ts';
import { readInteger, readMember, readNumber, readText } from './untrusted-json.ts';

interface ShortenedText {
  readonly text: string;
  readonly isCut: boolean;
}

const measureTexts = (...texts: readonly ShortenedText[]) => ({
  characters: texts.reduce((sum, { text }) => sum + text.length, 0),
  isCut: texts.some(({ isCut }) => isCut),
});

/** Shortens a text to at most `characters` UTF-16 units, without splitting a surrogate pair. */
function shortenText(text: string, characters: number): ShortenedText {
  if (text.length <= characters) return { text: text.toWellFormed(), isCut: false };
  const endsInPair = (text.codePointAt(characters - 1) ?? 0) > 0xffff;
  const beginning = text.slice(0, endsInPair ? characters - 1 : characters);
  // Copies the text: a slice would keep the original in memory, which may be a hundred times longer.
  return { text: Buffer.from(beginning).toString(), isCut: true };
}

/** Removes the user name, too, because access tokens are often sent as user names. */
const stripUrlCredentials = (url: string): string => url.replace(/^([^:/?#]*:\/\/)[^/?#]*@/, '$1');

/** Removes credentials from URLs inside a text, if they contain only characters that a URL allows before the `@`. */
const stripTextCredentials = (text: string): string => text.replaceAll(/:\/\/[\w.~%!$&'()*+,;=:@-]*@/g, '://');

export type ConsoleEntry = TraceErrorAnalysis['consoleEntries'][number];
export type NetworkRequest = TraceErrorAnalysis['networkRequests'][number];

/** The result of converting an event. `undefined` if the event has an unknown format. */
type Reading<Item> = Candidate<Item> | undefined;

const PROBLEM_TYPES = new Set(['error', 'warning', 'assert']);
const { textCharacters, urlCharacters, wordCharacters } = TRACE_LIMITS;

/**
 * Converts a console message. `messageType` is Playwright's type (`log`, `warning`, `error`...). Lines and columns are
 * counted from 0, as in the trace. `epoch` is the time at which the clock of the trace was 0, in epoch milliseconds.
 */
export function readConsoleEntry(event: unknown, epoch: number): Reading<ConsoleEntry> {
  const messageType = readText(event, 'messageType');
  const text = readText(event, 'text');
  if (messageType === undefined || text === undefined) return undefined;
  return makeConsoleEntry({
    time: readTime(event, 'time', epoch),
    messageType,
    text,
    location: readLocation(readMember(event, 'location'), 'lineNumber', 'columnNumber'),
  });
}

/** Formats a `pageError` event as the browser console would show it. Older traces have no location. */
export function readPageError(event: unknown, epoch: number): Reading<ConsoleEntry> {
  const params = readMember(event, 'params');
  const error = readMember(readMember(params, 'error'), 'error');
  const message = readText(error, 'message');
  if (message === undefined) return undefined;
  const stack = readText(error, 'stack') ?? '';
  const name = readText(error, 'name') || 'Error';
  // In some browsers, the stack does not begin with the message.
  const hasMessage = stack !== '' && stack.includes(message);
  return makeConsoleEntry({
    time: readTime(event, 'time', epoch),
    messageType: 'error',
    text: hasMessage ? `Uncaught ${stack}` : `Uncaught ${name}: ${message}`,
    location: readLocation(readMember(params, 'location'), 'line', 'column'),
  });
}

const readLocation = (location: unknown, line: string, column: string) => ({
  url: readText(location, 'url') ?? '',
  lineNumber: readInteger(location, line) ?? 0,
  columnNumber: readInteger(location, column) ?? 0,
});

function makeConsoleEntry({
  time,
  messageType,
  text,
  location,
}: Omit<ConsoleEntry, 'time'> & { readonly time: number | undefined }): Reading<ConsoleEntry> {
  if (time === undefined) return undefined;
  const type = shortenText(messageType, wordCharacters);
  const shortText = shortenText(stripTextCredentials(text), textCharacters);
  const url = shortenText(stripUrlCredentials(location.url), urlCharacters);
  return {
    item: { time, messageType: type.text, text: shortText.text, location: { ...location, url: url.text } },
    isProblem: PROBLEM_TYPES.has(messageType),
    ...measureTexts(type, shortText, url),
  };
}

/** `'internal'`: not sent over the network, such as for a `data:`, `blob:` or `about:` URL or a browser extension. */
export function readNetworkRequest(event: unknown, epoch: number): Reading<NetworkRequest> | 'internal' {
  const snapshot = readMember(event, 'snapshot');
  const request = readMember(snapshot, 'request');
  const address = readText(request, 'url');
  const word = readText(request, 'method');
  // The status in a trace is -1 if there was no response.
  const status = readInteger(readMember(snapshot, 'response'), 'status');
  const time = readTime(snapshot, '_monotonicTime', epoch);
  if (address === undefined || word === undefined || status === undefined || time === undefined) return undefined;
  if (!/^(https?|wss?):/i.test(address)) return 'internal';
  const url = shortenText(stripUrlCredentials(address), urlCharacters);
  const method = shortenText(word, wordCharacters);
  return {
    item: { time, url: url.text, status, method: method.text },
    isProblem: status <= 0 || status >= 400,
    ...measureTexts(url, method),
  };
}

function readTime(event: unknown, name: string, epoch: number): number | undefined {
  const time = Math.round(epoch + (readNumber(event, name) ?? Number.NaN));
  return isValidTime(time) ? time : undefined;
}
