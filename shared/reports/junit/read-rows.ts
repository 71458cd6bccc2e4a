/**
 * Turns the events of the parser into rows. Accepts several roots, ignores namespace prefixes, and never trusts
 * counters.
 */
import { ownCopy } from '#shared/reports/kept-text.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import { BoundedParser } from './bounded-parser.ts';
import { MarkupFeed } from './markup-feed.ts';
import { OpenRow, problemKind } from './open-row.ts';
import type { JunitRow, JunitSuite } from './row.ts';

export interface Root {
  readonly element: string;
  readonly attributes: ReadonlyMap<string, string>;
}

export interface RowEvents {
  root(root: Root): void;
  suite(suite: JunitSuite): void;
  row(row: JunitRow): void;
  comment(text: string): void;
  /** Charges the work budget. */
  work(units: number): void;
  /** Whether further rows would change nothing. */
  readonly full: boolean;
}

/** Elements whose text belongs to a row, and the part of the row that takes it. */
type Target = 'out' | 'err' | 'stack' | 'text' | undefined;

export class RowReader {
  readonly #events: RowEvents;
  readonly #parser: BoundedParser;
  readonly #feed: MarkupFeed;
  readonly #elements: string[] = [];
  #suite: JunitSuite | null = null;
  #row: OpenRow | undefined;
  #target: Target;
  #ended = false;
  /** Whether the file ends inside an element, or was cut at a limit. */
  truncated = false;
  tooDeep = false;

  constructor(events: RowEvents) {
    this.#events = events;
    this.#parser = new BoundedParser({
      onopentag: (name, attributes) => this.#open(localName(name), attributes),
      onclosetag: (name) => this.#close(localName(name)),
      ontext: (text) => this.#text(text),
      oncomment: (text) => this.#events.comment(text.slice(0, REPORT_LIMITS.nameCharacters)),
    });
    this.#feed = new MarkupFeed(this.#parser, (count) => events.work(count * REPORT_LIMITS.work.xmlEvent));
  }

  /** Reads more text of the file. Returns false if the rest of the file cannot be read. */
  write(text: string): boolean {
    return this.#feed.write(text) && !this.tooDeep && !this.#events.full;
  }

  end(): void {
    this.#ended = true;
    this.truncated = this.truncated || this.#elements.length > 0;
    if (this.tooDeep) this.#closeRow();
    else this.#feed.end();
  }

  #open(name: string, attributes: Readonly<Record<string, string>>): void {
    if (this.tooDeep) return;
    if (this.#elements.length === REPORT_LIMITS.depth) {
      this.tooDeep = true;
      this.truncated = true;
      this.#parser.pause();
      return;
    }
    if (this.#elements.length === 0) this.#events.root({ element: name, attributes: kept(attributes) });
    this.#elements.push(name);
    if (name === 'testsuite' || (name === 'testsuites' && this.#elements.length > 1)) this.#openSuite(attributes);
    else if (name === 'testcase') this.#openRow(attributes);
    else if (name === 'property') this.#property(kept(attributes));
    else if (this.#row) this.#openChild(this.#row, name, attributes);
  }

  #openSuite(attributes: Readonly<Record<string, string>>): void {
    this.#closeRow();
    const all = kept(attributes);
    this.#suite = { name: all.get('name') ?? '', attributes: all, parent: this.#suite, properties: new Map() };
    this.#events.suite(this.#suite);
  }

  #openRow(attributes: Readonly<Record<string, string>>): void {
    this.#closeRow();
    this.#row = new OpenRow(mapOf(attributes), this.#suite);
  }

  #property(attributes: ReadonlyMap<string, string>): void {
    const name = attributes.get('name') ?? '';
    const value = attributes.get('value') ?? '';
    if (this.#row) this.#row.property(name, value);
    else if (this.#suite && this.#suite.properties.size < REPORT_LIMITS.propertiesPerElement)
      this.#suite.properties.set(name, value);
  }

  #openChild(row: OpenRow, name: string, attributes: Readonly<Record<string, string>>): void {
    const kind = problemKind(name);
    if (kind) {
      row.begin(kind, mapOf(attributes));
      this.#target = 'text';
    } else this.#target = targetOf(name);
  }

  #text(text: string): void {
    const row = this.#row;
    if (!row || !this.#target) return;
    if (this.#target === 'out' || this.#target === 'err') (row.problem ?? row)[this.#target].add(text);
    else row.problem?.[this.#target].add(text);
  }

  #close(name: string): void {
    if (this.#elements.at(-1) !== name) return;
    this.#elements.pop();
    if (name === 'testsuite' || name === 'testsuites') {
      this.#closeRow();
      if (this.#suite && (name === 'testsuite' || this.#elements.length > 0)) this.#suite = this.#suite.parent;
    } else if (name === 'testcase') this.#closeRow();
    else if (problemKind(name) && !this.#ended) {
      this.#row?.end();
      this.#target = undefined;
    } else this.#target = this.#row?.problem ? 'text' : undefined;
  }

  #closeRow(): void {
    const row = this.#row;
    this.#row = undefined;
    this.#target = undefined;
    if (row) this.#events.row(row.closed(this.#ended));
  }
}

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

const TARGETS: ReadonlyMap<string, Target> = new Map([
  ['system-out', 'out'],
  ['system-err', 'err'],
  ['stackTrace', 'stack'],
]);
const targetOf = (name: string): Target => TARGETS.get(name);

/** The attributes of a row, which live no longer than the row. A test copies those that it keeps. */
function mapOf(attributes: Readonly<Record<string, string>>): Map<string, string> {
  const map = new Map<string, string>();
  for (const name of Object.keys(attributes)) map.set(name, attributes[name] ?? '');
  return map;
}

const kept = (attributes: Readonly<Record<string, string>>): Map<string, string> =>
  new Map(Object.entries(attributes).map(([name, value]) => [ownCopy(name), ownCopy(value)]));
