/** Reads the events of all recordings in a trace, line by line, into one analysis. */

import { RefusedArchive } from '#shared/engine/archives/refusal.ts';
import { parseJson } from '#shared/engine/json.ts';
import { BACKSLASH, BRACE, BRACKET, COMMA, QUOTE } from '#shared/engine/json-bytes.ts';
import type { TraceErrorAnalysis } from '#shared/model/results/evidence.ts';
import { TRACE_LIMITS } from './limits.ts';
import { type Candidate, Shortlist } from './shortlist.ts';
import {
  type ConsoleEntry,
  type NetworkRequest,
  readConsoleEntry,
  readNetworkRequest,
  readPageError,
} from './trace-items.ts';
import { readInteger, readMember, readNumber, readText } from './untrusted-json.ts';

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

/**
 * The supported versions of the trace format: that of Playwright 1.45 to that of Playwright 1.65. Older versions do not
 * record which monotonic time belongs to which wall-clock time, so event times would be unknown.
 */
const KNOWN_VERSIONS = { first: 7, last: 10 };

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
