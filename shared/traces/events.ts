/**
 * Console entries and network requests (§2.4) out of events of a trace. Headers and bodies are never looked at.
 *
 * These events look the same in all `KNOWN_VERSIONS`: Playwright 1.45 (7) to 1.65 (10). Older ones name no monotonic time
 * that goes with the wall time, so that the times of their events cannot be told.
 */
import { LIMITS } from '../limits.ts';
import type { Candidate } from './shortlist.ts';
import { shortened, textWithoutCredentials, urlWithoutCredentials } from './texts.ts';

export const KNOWN_VERSIONS = { first: 7, last: 10 };

export interface ConsoleEntry {
  /** Epoch milliseconds. */
  readonly time: number;
  /** Playwright's word: `log`, `warning`, `error`... Errors that nobody caught are `error`, too. */
  readonly messageType: string;
  readonly text: string;
  /** Lines and columns count from 0, as in the trace. */
  readonly location: { readonly url: string; readonly lineNumber: number; readonly columnNumber: number };
}

export interface NetworkRequest {
  /** Epoch milliseconds of its beginning. */
  readonly time: number;
  readonly url: string;
  /** -1 where no answer came. */
  readonly status: number;
  readonly method: string;
}

/** What an event of this type says. `undefined`: not what such events look like. */
type Reading<Item> = Candidate<Item> | undefined;

const PROBLEM_TYPES = new Set(['error', 'warning', 'assert']);
/** Beyond it there is no `Date`. */
const LAST_MILLISECOND = 8.64e15;
const { textCharacters, urlCharacters, wordCharacters } = LIMITS.trace;

/** `epoch` is when the clock of the event's trace was 0. */
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

/** Of an `event` of the method `pageError`: as the browser's console shows it. Older ones have no location. */
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
    // Not every browser begins the stack with the message.
    text: `Uncaught ${stack.includes(message) && stack !== '' ? stack : `${name}: ${message}`}`,
    location: {
      url: textAt(location, 'url') ?? '',
      lineNumber: integerAt(location, 'line') ?? 0,
      columnNumber: integerAt(location, 'column') ?? 0,
    },
  });
}

type Timeless<Item> = Omit<Item, 'time'> & { readonly time: number | undefined };

function consoleEntry({ time, messageType, text, location }: Timeless<ConsoleEntry>): Reading<ConsoleEntry> {
  if (time === undefined) return undefined;
  const shown = textWithoutCredentials(text);
  const url = urlWithoutCredentials(location.url);
  return {
    item: {
      time,
      messageType: shortened(messageType, wordCharacters),
      text: shortened(shown, textCharacters),
      location: { ...location, url: shortened(url, urlCharacters) },
    },
    isProblem: PROBLEM_TYPES.has(messageType),
    isCut: shown.length > textCharacters || url.length > urlCharacters,
  };
}

/** `'internal'`: the browser asked nobody but itself (`data:`, `blob:`, `about:`, extensions). */
export function networkRequestOf(event: unknown, epoch: number): Reading<NetworkRequest> | 'internal' {
  const snapshot = memberOf(event, 'snapshot');
  const request = memberOf(snapshot, 'request');
  const time = timeAt(snapshot, '_monotonicTime', epoch);
  const address = textAt(request, 'url');
  const method = textAt(request, 'method');
  const status = integerAt(memberOf(snapshot, 'response'), 'status');
  if (time === undefined || address === undefined || method === undefined || status === undefined) return undefined;
  if (!/^(https?|wss?):/i.test(address)) return 'internal';
  const url = urlWithoutCredentials(address);
  return {
    item: { time, url: shortened(url, urlCharacters), status, method: shortened(method, wordCharacters) },
    isProblem: status <= 0 || status >= 400,
    isCut: url.length > urlCharacters,
  };
}

export function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}

export function textAt(value: unknown, name: string): string | undefined {
  const member = memberOf(value, name);
  return typeof member === 'string' ? member : undefined;
}

export function numberAt(value: unknown, name: string): number | undefined {
  const member = memberOf(value, name);
  return typeof member === 'number' && Number.isFinite(member) ? member : undefined;
}

function integerAt(value: unknown, name: string): number | undefined {
  const member = memberOf(value, name);
  return Number.isSafeInteger(member) && typeof member === 'number' ? member : undefined;
}

function timeAt(value: unknown, name: string, epoch: number): number | undefined {
  const time = Math.round(epoch + (numberAt(value, name) ?? Number.NaN));
  return Math.abs(time) <= LAST_MILLISECOND ? time : undefined;
}
