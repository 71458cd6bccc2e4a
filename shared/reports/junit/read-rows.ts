/**
 * Turns the events of the parser into rows, one per testcase element. Accepts several root elements, ignores namespace
 * prefixes, and never trusts the counters in the file.
 */
import { KeptBeginning, KeptEnd, ownCopy } from '#shared/reports/kept-text.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import { BoundedParser } from './bounded-parser.ts';
import { type JunitProblem, type JunitRow, type JunitSuite, type ProblemKind, problemKind } from './row.ts';

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
  /** Whether the rest of the file can be skipped. */
  readonly full: boolean;
}

/** The part of a row that receives the text of the current element. */
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

  /** Reads more text of the file. Returns false if the rest of the file cannot be read or is not needed. */
  write(text: string): boolean {
    return this.#feed.write(text) && !this.tooDeep && !this.#events.full;
  }

  end(): void {
    this.#ended = true;
    this.truncated ||= this.#elements.length > 0;
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
    if (name === 'testsuite' || (name === 'testsuites' && this.#elements.length > 1)) this.#openSuite(kept(attributes));
    else if (name === 'testcase') {
      this.#closeRow();
      this.#row = new OpenRow(mapOf(attributes), this.#suite);
    } else if (name === 'property') this.#property(kept(attributes));
    else if (this.#row) this.#openChild(this.#row, name, attributes);
  }

  #openSuite(attributes: ReadonlyMap<string, string>): void {
    this.#closeRow();
    this.#suite = { name: attributes.get('name') ?? '', attributes, parent: this.#suite, properties: new Map() };
    this.#events.suite(this.#suite);
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
    } else this.#target = TARGETS.get(name);
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
/**
 * The attributes of a row. Their text is not copied, because they are not kept longer than the row. A test copies the
 * texts that it keeps.
 */
const mapOf = (attributes: Readonly<Record<string, string>>): Map<string, string> =>
  new Map(Object.entries(attributes));

const kept = (attributes: Readonly<Record<string, string>>): Map<string, string> =>
  new Map(Object.entries(attributes).map(([name, value]) => [ownCopy(name), ownCopy(value)]));

class OpenProblem {
  readonly #kind: ProblemKind;
  readonly #attributes: ReadonlyMap<string, string>;
  readonly text = new KeptBeginning(REPORT_LIMITS.stackCharacters);
  readonly stack = new KeptBeginning(REPORT_LIMITS.stackCharacters);
  readonly out = new KeptEnd(REPORT_LIMITS.outputCharacters);
  readonly err = new KeptEnd(REPORT_LIMITS.outputCharacters);

  constructor(kind: ProblemKind, attributes: ReadonlyMap<string, string>) {
    this.#kind = kind;
    this.#attributes = attributes;
  }

  closed(): JunitProblem {
    return {
      kind: this.#kind,
      message: this.#attributes.get('message') ?? null,
      type: this.#attributes.get('type') ?? '',
      text: this.text.text,
      stackTrace: this.stack.text,
      out: this.out.text,
      err: this.err.text,
      timestamp: this.#attributes.get('timestamp'),
      time: this.#attributes.get('time'),
    };
  }
}

/** A testcase element that is being read. */
class OpenRow {
  readonly #attributes: ReadonlyMap<string, string>;
  readonly #suite: JunitSuite | null;
  readonly #problems: JunitProblem[] = [];
  readonly #properties: (readonly [string, string])[] = [];
  readonly out = new KeptEnd(REPORT_LIMITS.outputCharacters);
  readonly err = new KeptEnd(REPORT_LIMITS.outputCharacters);
  problem: OpenProblem | undefined;

  constructor(attributes: ReadonlyMap<string, string>, suite: JunitSuite | null) {
    this.#attributes = attributes;
    this.#suite = suite;
  }

  begin(kind: ProblemKind, attributes: ReadonlyMap<string, string>): void {
    this.end();
    this.problem = new OpenProblem(kind, attributes);
  }

  end(): void {
    const room = REPORT_LIMITS.attemptsPerTest + REPORT_LIMITS.errorsPerAttempt;
    if (this.problem && this.#problems.length < room) this.#problems.push(this.problem.closed());
    this.problem = undefined;
  }

  property(name: string, value: string): void {
    if (this.#properties.length < REPORT_LIMITS.propertiesPerElement) this.#properties.push([name, value]);
  }

  closed(cut: boolean): JunitRow {
    this.end();
    return {
      name: this.#attributes.get('name') ?? '',
      classname: this.#attributes.get('classname') ?? '',
      attributes: this.#attributes,
      suite: this.#suite,
      problems: this.#problems,
      properties: this.#properties,
      out: this.out.text,
      err: this.err.text,
      cut,
    };
  }
}

interface Section {
  readonly begin: string;
  readonly end: string;
  readonly last: string;
}
const CDATA: Section = { begin: '<![CDATA[', end: ']]>', last: ']' };
const COMMENT: Section = { begin: '<!--', end: '-->', last: '-' };
const BEGINNING = /<!\[CDATA\[|<!--/g;

const CHUNK_CHARACTERS = 64 * 1024;
/** One less than the length of `<![CDATA[`, the longest delimiter that opens a section. */
const KEPT_CHARACTERS = 8;

/**
 * Hands text to the parser in chunks. The parser buffers a CDATA section or comment until its end, and test output may
 * be a hundred megabytes long. So a long section is ended after a chunk, and the next chunk begins a new one.
 */
class MarkupFeed {
  readonly #parser: BoundedParser;
  #open: Section | undefined;
  #held = '';
  #quiet = 0;
  readonly #onEvents: (count: number) => void;

  /** `onEvents` is called after each chunk with the number of parser events that the chunk caused. */
  constructor(parser: BoundedParser, onEvents: (count: number) => void) {
    this.#parser = parser;
    this.#onEvents = onEvents;
  }

  /** Feeds more text to the parser. Returns false if the file has too much unterminated markup. */
  write(text: string): boolean {
    for (let at = 0; at < text.length; at += CHUNK_CHARACTERS) {
      this.#chunk(text.slice(at, at + CHUNK_CHARACTERS));
      if (this.#quiet > REPORT_LIMITS.markupCharacters) return false;
    }
    return true;
  }

  end(): void {
    this.#parser.end(this.#held);
  }

  #chunk(chunk: string): void {
    const text = this.#held + chunk;
    this.#follow(text);
    const kept = this.#keptFrom(text);
    this.#held = text.slice(kept);
    const before = this.#parser.events;
    this.#parser.write(text.slice(0, kept));
    this.#onEvents(this.#parser.events - before);
    this.#quiet = this.#parser.events > before ? 0 : this.#quiet + chunk.length;
    // The parser has produced no event for a whole chunk, so it must still be inside the open section.
    if (this.#open && this.#quiet >= CHUNK_CHARACTERS) {
      this.#parser.write(this.#open.end + this.#open.begin);
      this.#quiet = 0;
    }
  }

  /** Tracks which section is open at the end of the text. */
  #follow(text: string): void {
    for (let at = 0; ; ) {
      if (this.#open) {
        const end = text.indexOf(this.#open.end, at);
        if (end < 0) return;
        at = end + this.#open.end.length;
        this.#open = undefined;
      }
      BEGINNING.lastIndex = at;
      const next = BEGINNING.exec(text);
      if (!next) return;
      this.#open = next[0] === CDATA.begin ? CDATA : COMMENT;
      at = BEGINNING.lastIndex;
    }
  }

  /** Finds the beginning of a delimiter that may continue in the next chunk, so that this part can be held back. */
  #keptFrom(text: string): number {
    let at = text.length;
    if (this.#open) while (at > 0 && text.length - at < 2 && text[at - 1] === this.#open.last) at -= 1;
    else {
      const tag = text.lastIndexOf('<');
      if (tag >= 0 && text.length - tag <= KEPT_CHARACTERS) at = tag;
    }
    return at;
  }
}
