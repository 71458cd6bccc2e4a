/** Reads the events of all recordings in a trace, line by line, into one analysis. */

import { RefusedArchive } from '#shared/engine/archives/refusal.ts';
import { parseJson } from '#shared/engine/json.ts';
import { BACKSLASH, BRACE, BRACKET, COMMA, QUOTE } from '#shared/engine/json-bytes.ts';
import type { TraceErrorAnalysis } from '#shared/model/results/evidence.ts';
import { TRACE_LIMITS } from './limits.ts';

// A `Shortlist` keeps the most important items of a stream: problems first, then the latest items. It holds at most
// twice as many items as it returns.

interface Candidate<Item> {
  readonly item: Item;
  readonly isProblem: boolean;
  /** The total size of the item's texts. */
  readonly characters: number;
  /** Whether one of the item's texts was shortened. */
  readonly isCut: boolean;
}

interface Limits {
  readonly items: number;
  /** The maximum number of characters of all items together. */
  readonly characters: number;
}

interface NumberedCandidate<Item> extends Candidate<Item> {
  /** The position of the item in the order of arrival. */
  readonly number: number;
}

class Shortlist<Item extends { readonly time: number }> {
  readonly #limits: Limits;
  #numbered: NumberedCandidate<Item>[] = [];
  #count = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  add(candidate: Candidate<Item>): void {
    this.#numbered.push({ ...candidate, number: this.#count });
    this.#count += 1;
    if (this.#numbered.length === 2 * this.#limits.items) this.#numbered = this.#best();
  }

  /** The best items, ordered by time, then by arrival. `cut` counts those that were shortened. */
  result(): { readonly items: Item[]; readonly omitted: number; readonly cut: number } {
    const bestCandidates = takeFitting(this.#best(), this.#limits.characters);
    bestCandidates.sort((one, other) => one.item.time - other.item.time || one.number - other.number);
    return {
      items: bestCandidates.map(({ item }) => item),
      omitted: this.#count - bestCandidates.length,
      cut: bestCandidates.filter(({ isCut }) => isCut).length,
    };
  }

  #best(): NumberedCandidate<Item>[] {
    return this.#numbered
      .toSorted(
        (one, other) =>
          Number(other.isProblem) - Number(one.isProblem) ||
          other.item.time - one.item.time ||
          other.number - one.number,
      )
      .slice(0, this.#limits.items);
  }
}

function takeFitting<Item>(all: readonly NumberedCandidate<Item>[], characters: number): NumberedCandidate<Item>[] {
  let left = characters;
  const end = all.findIndex((candidate) => {
    left -= candidate.characters;
    return left < 0;
  });
  return all.slice(0, end < 0 ? all.length : end);
}

export interface TraceOmissions {
  /** Errors, warnings and failed assertions have priority over other entries, and later entries over earlier ones. */
  readonly consoleEntries: number;
  /** Unanswered and failed requests (status 400 or higher) have priority over others, and later ones over earlier. */
  readonly networkRequests: number;
  /** Number of console entries and requests whose text or URL was shortened. */
  readonly shortened: number;
  readonly malformedLines: number;
  readonly overlongLines: number;
}

/** Searched for the type of the event. Types that are not needed, among them the largest, are not parsed. */
const BEGINNING_BYTES = 64;
const TYPE = /^\{"type":"([\w-]*)"/;
const READ_TYPES = new Set(['context-options', 'console', 'event', 'resource-snapshot']);

const { consoleEntries, consoleCharacters, networkRequests, networkCharacters, lineValues, malformedLines } =
  TRACE_LIMITS;

export class EventReader {
  /** For each recording, the time at which its monotonic clock was 0, in epoch milliseconds. */
  readonly #epochs = new Map<string, number>();
  readonly #console = new Shortlist<ConsoleEntry>({ items: consoleEntries, characters: consoleCharacters });
  readonly #network = new Shortlist<NetworkRequest>({ items: networkRequests, characters: networkCharacters });
  #malformedLines = 0;
  #overlongLines = 0;

  read(recording: string, line: Buffer, isWhole: boolean): void {
    const type = TYPE.exec(line.toString('latin1', 0, BEGINNING_BYTES))?.[1];
    if (type !== undefined && !READ_TYPES.has(type)) return;
    if (!isWhole || hasManyValues(line)) this.#overlongLines += 1;
    else if (!this.#readEvent(recording, parseJson(line.toString()))) this.#countMalformed();
  }

  /** Limits malformed lines, because `JSON.parse` takes as long for each of them as for a hundred events. */
  #countMalformed(): void {
    this.#malformedLines += 1;
    if (this.#malformedLines > malformedLines)
      throw new RefusedArchive('damaged', `The file has more than ${malformedLines} lines that are not trace events`);
  }

  result(): { readonly analysis: TraceErrorAnalysis; readonly omitted: TraceOmissions } {
    if (this.#epochs.size === 0)
      throw new RefusedArchive('noTrace', 'The file contains no events of a Playwright trace');
    const entries = this.#console.result();
    const requests = this.#network.result();
    return {
      analysis: { consoleEntries: entries.items, networkRequests: requests.items },
      omitted: {
        consoleEntries: entries.omitted,
        networkRequests: requests.omitted,
        shortened: entries.cut + requests.cut,
        malformedLines: this.#malformedLines,
        overlongLines: this.#overlongLines,
      },
    };
  }

  /** Reads one event. Returns false if the value is not a valid event. */
  #readEvent(recording: string, event: unknown): boolean {
    const type = readText(event, 'type');
    if (type === 'context-options') return this.#begin(recording, event);
    const epoch = this.#epochs.get(recording);
    // The first event of a recording must define its format and clock. The file with the network requests of the
    // recording comes later, so the clock is known by then.
    if (epoch === undefined || type === undefined) return false;
    if (type === 'console') return this.#keep(this.#console, readConsoleEntry(event, epoch));
    if (type === 'event' && readMember(event, 'method') === 'pageError')
      return this.#keep(this.#console, readPageError(event, epoch));
    if (type === 'resource-snapshot') {
      const request = readNetworkRequest(event, epoch);
      return request === 'internal' || this.#keep(this.#network, request);
    }
    return true;
  }

  #begin(recording: string, event: unknown): boolean {
    const version = readInteger(event, 'version');
    const { first, last } = KNOWN_VERSIONS;
    if (version === undefined || version < first || version > last)
      throw new RefusedArchive(
        'unknownVersion',
        `Trace format version ${version ?? 'unknown'} is not supported. Supported versions: ${first} to ${last}`,
      );
    const wallTime = readNumber(event, 'wallTime');
    const monotonicTime = readNumber(event, 'monotonicTime');
    if (wallTime === undefined || monotonicTime === undefined) return false;
    this.#epochs.set(recording, wallTime - monotonicTime);
    return true;
  }

  #keep<Item extends { readonly time: number }>(
    list: Shortlist<Item>,
    candidate: Candidate<Item> | undefined,
  ): boolean {
    if (candidate !== undefined) list.add(candidate);
    return candidate !== undefined;
  }
}

/** Parsing would take too much memory. Skips strings, which may contain what looks like the start of a value. */
function hasManyValues(line: Buffer): boolean {
  let isText = false;
  let values = 0;
  for (let at = 0; at < line.length && values <= lineValues; at += 1) {
    const byte = line[at];
    if (byte === QUOTE) isText = !isText;
    else if (isText && byte === BACKSLASH) at += 1;
    else if (!isText && (byte === COMMA || byte === BRACKET || byte === BRACE)) values += 1;
  }
  return values > lineValues;
}

// Extracts console entries and network requests (§2.4) from trace events. Never reads headers or bodies. The format is
// the same in all `KNOWN_VERSIONS`: version 7 (Playwright 1.45) to version 10 (Playwright 1.65). Older versions do not
// record which monotonic time belongs to which wall-clock time, so event times would be unknown.

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

const KNOWN_VERSIONS = { first: 7, last: 10 };

export type ConsoleEntry = TraceErrorAnalysis['consoleEntries'][number];
export type NetworkRequest = TraceErrorAnalysis['networkRequests'][number];

/** The result of converting an event. `undefined` if the event has an unknown format. */
type Reading<Item> = Candidate<Item> | undefined;

const PROBLEM_TYPES = new Set(['error', 'warning', 'assert']);
/** The maximum time value that `Date` supports, in milliseconds. */
const LAST_MILLISECOND = 8.64e15;
const { textCharacters, urlCharacters, wordCharacters } = TRACE_LIMITS;

/**
 * Converts a console message. `messageType` is Playwright's type (`log`, `warning`, `error`...). Lines and columns are
 * counted from 0, as in the trace. `epoch` is the time at which the clock of the trace was 0, in epoch milliseconds.
 */
function readConsoleEntry(event: unknown, epoch: number): Reading<ConsoleEntry> {
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
function readPageError(event: unknown, epoch: number): Reading<ConsoleEntry> {
  const params = readMember(event, 'params');
  const error = readMember(readMember(params, 'error'), 'error');
  const message = readText(error, 'message');
  if (message === undefined) return undefined;
  const stack = readText(error, 'stack') ?? '';
  const name = readText(error, 'name') || 'Error';
  return makeConsoleEntry({
    time: readTime(event, 'time', epoch),
    messageType: 'error',
    // In some browsers, the stack does not begin with the message.
    text: `Uncaught ${stack.includes(message) && stack !== '' ? stack : `${name}: ${message}`}`,
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
function readNetworkRequest(event: unknown, epoch: number): Reading<NetworkRequest> | 'internal' {
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

function readTime(value: unknown, name: string, epoch: number): number | undefined {
  const time = Math.round(epoch + (readNumber(value, name) ?? Number.NaN));
  return Math.abs(time) <= LAST_MILLISECOND ? time : undefined;
}

// Reads members of untrusted JSON. A member that is missing or has another type is `undefined`.

function readMember(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? Reflect.get(value, name)
    : undefined;
}

function readText(value: unknown, name: string): string | undefined {
  const member = readMember(value, name);
  return typeof member === 'string' ? member : undefined;
}

function readNumber(value: unknown, name: string): number | undefined {
  const member = readMember(value, name);
  return typeof member === 'number' && Number.isFinite(member) ? member : undefined;
}

function readInteger(value: unknown, name: string): number | undefined {
  const number = readNumber(value, name);
  return Number.isSafeInteger(number) ? number : undefined;
}
