/** Reads the events of all recordings in a trace, line by line, into one analysis. */

import { RefusedArchive } from '#shared/engine/archives/refusal.ts';
import type { TraceErrorAnalysis } from '#shared/model/tests/evidence.ts';
import {
  type ConsoleEntry,
  consoleEntryOf,
  KNOWN_VERSIONS,
  type NetworkRequest,
  networkRequestOf,
  pageErrorOf,
} from './events.ts';
import { TRACE_LIMITS } from './limits.ts';
import { integerAt, memberOf, numberAt, textAt } from './members.ts';
import { type Candidate, Shortlist } from './shortlist.ts';

/** Counts of omitted or shortened items. */
export interface TraceOmissions {
  /** Omitted entries. Errors and warnings have priority, then the latest entries. */
  readonly consoleEntries: number;
  /** Omitted requests. Unanswered and failed requests (400 or higher) have priority, then the latest. */
  readonly networkRequests: number;
  /** Entries and requests with a shortened text or URL. */
  readonly shortened: number;
  readonly malformedLines: number;
  readonly overlongLines: number;
}

/**
 * The length of the beginning of a line, which contains the type of the event. Events of types that are not read are
 * skipped without parsing. The largest events are among them.
 */
const BEGINNING_BYTES = 64;
const TYPE = /^\{"type":"([\w-]*)"/;
const READ_TYPES = new Set(['context-options', 'console', 'event', 'resource-snapshot']);

const { consoleEntries, consoleCharacters, networkRequests, networkCharacters, lineValues, malformedLines } =
  TRACE_LIMITS;

export class EventReader {
  /** Per recording: the epoch milliseconds of time 0 of its monotonic clock. */
  readonly #epochs = new Map<string, number>();
  readonly #console = new Shortlist<ConsoleEntry>({ items: consoleEntries, characters: consoleCharacters });
  readonly #network = new Shortlist<NetworkRequest>({ items: networkRequests, characters: networkCharacters });
  #malformedLines = 0;
  #overlongLines = 0;

  read(recording: string, line: Buffer, isWhole: boolean): void {
    const type = TYPE.exec(line.toString('latin1', 0, BEGINNING_BYTES))?.[1];
    if (type !== undefined && !READ_TYPES.has(type)) return;
    if (!isWhole || hasManyValues(line)) this.#overlongLines += 1;
    else if (!this.#readEvent(recording, parsed(line))) this.#countMalformed();
  }

  /** Counts a malformed line. Limited, because an error of `JSON.parse` costs as much as a hundred events. */
  #countMalformed(): void {
    this.#malformedLines += 1;
    if (this.#malformedLines > malformedLines)
      throw new RefusedArchive('damaged', `The file has more than ${malformedLines} lines that are not trace events`);
  }

  /** The analysis, with both lists in order of time. */
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

  /** Whether the value is an event of any type. */
  #readEvent(recording: string, event: unknown): boolean {
    const type = textAt(event, 'type');
    if (type === 'context-options') return this.#begin(recording, event);
    const epoch = this.#epochs.get(recording);
    // The first event of a recording defines its format and clock. Its network requests are in a later file.
    if (epoch === undefined || type === undefined) return false;
    if (type === 'console') return this.#keep(this.#console, consoleEntryOf(event, epoch));
    if (type === 'event' && memberOf(event, 'method') === 'pageError')
      return this.#keep(this.#console, pageErrorOf(event, epoch));
    if (type === 'resource-snapshot') {
      const request = networkRequestOf(event, epoch);
      return request === 'internal' || this.#keep(this.#network, request);
    }
    return true;
  }

  #begin(recording: string, event: unknown): boolean {
    const version = integerAt(event, 'version');
    const { first, last } = KNOWN_VERSIONS;
    if (version === undefined || version < first || version > last)
      throw new RefusedArchive(
        'unknownVersion',
        `Trace format version ${version ?? 'unknown'} is not supported. Supported versions: ${first} to ${last}`,
      );
    const wallTime = numberAt(event, 'wallTime');
    const monotonicTime = numberAt(event, 'monotonicTime');
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

const [QUOTE, BACKSLASH, COMMA, BRACKET, BRACE] = Buffer.from('"\\,[{');

/** Whether parsing would exceed the memory limit. Skips texts, which may contain characters that look like values. */
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

/** Parses a line. Returns `undefined` for invalid JSON. */
function parsed(line: Buffer): unknown {
  try {
    return JSON.parse(line.toString());
  } catch {
    return undefined;
  }
}
