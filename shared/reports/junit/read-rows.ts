/**
 * Turns the events of the parser into rows, one per testcase element. Accepts several root elements, ignores namespace
 * prefixes, and never trusts the counters in the file.
 */
import { copyText } from '#shared/engine/own-copy.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import { BoundedParser } from '#shared/reports/xml/bounded-parser.ts';
import { getLocalName, makeMarkupFeed } from '#shared/reports/xml/markup-feed.ts';
import { OpenRow, OpenSuite, type TextTarget } from './open-elements.ts';
import { findProblemKind, type JunitRow, type JunitSuite } from './row.ts';
import type { SuiteErrors } from './suite-errors.ts';

export interface Root {
  readonly element: string;
  readonly attributes: ReadonlyMap<string, string>;
}

export interface RowEvents {
  root(root: Root): void;
  suite(suite: JunitSuite): void;
  row(row: JunitRow): void;
  /** Called at the end of each suite that was read completely. */
  suiteErrors(found: SuiteErrors): void;
  comment(text: string): void;
  /** Charges the work budget. */
  work(units: number): void;
  /** Whether the rest of the file can be skipped. */
  readonly full: boolean;
}

export class RowReader {
  readonly #events: RowEvents;
  readonly #parser: BoundedParser;
  readonly #feed: ReturnType<typeof makeMarkupFeed>;
  readonly #elements: string[] = [];
  /** The innermost suite. A root `testsuites` only groups the suites of a report, and is none of them. */
  #suite: JunitSuite | null = null;
  #latestFile = '';
  #suiteCount = 0;
  /** The suites that are being read, beginning with the root element, also if that is `testsuites`. */
  readonly #suites: OpenSuite[] = [];
  #row: OpenRow | undefined;
  /** Where the text of the current element goes. Other texts, such as spaces between elements, are left out. */
  #target: TextTarget | undefined;
  #ended = false;
  /** Whether the file ends inside an element, or was cut at a limit. */
  truncated = false;
  tooDeep = false;

  constructor(events: RowEvents) {
    this.#events = events;
    this.#parser = new BoundedParser({
      onopentag: (name, attributes) => this.#open(getLocalName(name), attributes),
      onclosetag: (name) => this.#close(getLocalName(name)),
      ontext: (text) => this.#addText(text),
      oncomment: (text) => this.#events.comment(text.slice(0, REPORT_LIMITS.nameCharacters)),
    });
    this.#feed = makeMarkupFeed(this.#parser, (units) => events.work(units));
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
    this.#events.work(REPORT_LIMITS.work.xmlElement);
    const isRoot = this.#elements.length === 0;
    if (isRoot) this.#events.root({ element: name, attributes: copyAttributes(attributes) });
    const isInSuite = isSuite(this.#elements.at(-1));
    this.#elements.push(name);
    if (name === 'testsuites' && isRoot)
      this.#suites.push(new OpenSuite(this.#makeSuite(copyAttributes(attributes), null, '')));
    else if (isSuite(name)) this.#openSuite(copyAttributes(attributes));
    else if (name === 'testcase') {
      this.#closeRow();
      this.#row = new OpenRow(toAttributes(attributes), this.#suite);
    } else if (name === 'property') this.#addProperty(copyAttributes(attributes));
    else if (this.#row) this.#openChild(this.#row, name, attributes);
    else if (isInSuite) this.#openChildOfSuite(name, attributes);
  }

  #openSuite(attributes: ReadonlyMap<string, string>): void {
    this.#closeRow();
    this.#latestFile = attributes.get('file') || this.#latestFile;
    this.#suite = this.#makeSuite(attributes, this.#suite, this.#latestFile);
    this.#suites.push(new OpenSuite(this.#suite));
    this.#events.suite(this.#suite);
  }

  #makeSuite(attributes: ReadonlyMap<string, string>, parent: JunitSuite | null, latestFile: string): JunitSuite {
    this.#events.work(REPORT_LIMITS.work.xmlSuite);
    const number = this.#suiteCount;
    this.#suiteCount += 1;
    const name = attributes.get('name') ?? '';
    return { name, number, attributes, parent, latestFile, properties: new Map(), read: { milliseconds: 0 } };
  }

  #addProperty(attributes: ReadonlyMap<string, string>): void {
    const name = attributes.get('name') ?? '';
    const value = attributes.get('value') ?? '';
    if (this.#row) this.#row.addProperty(name, value);
    else if (this.#suite && this.#suite.properties.size < REPORT_LIMITS.propertiesPerElement)
      this.#suite.properties.set(name, value);
  }

  #openChild(row: OpenRow, name: string, attributes: Readonly<Record<string, string>>): void {
    const kind = findProblemKind(name);
    if (kind) {
      row.openProblem(kind, toAttributes(attributes));
      this.#target = 'text';
    } else this.#target = TARGETS.get(name);
  }

  /** The texts and the problems of a suite itself, outside its rows. */
  #openChildOfSuite(name: string, attributes: Readonly<Record<string, string>>): void {
    const suite = this.#suites.at(-1);
    if (!suite) return;
    if (name === 'error' || name === 'failure') {
      suite.openProblem(name, copyAttributes(attributes));
      this.#target = 'text';
    } else this.#target = TARGETS.get(name);
  }

  #addText(text: string): void {
    if (this.#target) this.#getInnermost()?.addText(this.#target, text);
  }

  #getInnermost(): OpenRow | OpenSuite | undefined {
    return this.#row ?? this.#suites.at(-1);
  }

  #close(name: string): void {
    if (this.#elements.at(-1) !== name) return;
    this.#elements.pop();
    if (isSuite(name)) {
      this.#closeRow();
      this.#closeSuite();
      // Already `null` at the end of a root `testsuites`, because the suites in it have ended.
      this.#suite = this.#suite?.parent ?? null;
    } else if (name === 'testcase') this.#closeRow();
    // The parser also ends the elements in which the file ends. A problem that was cut ends with its row.
    else if (findProblemKind(name) && !this.#ended) {
      this.#getInnermost()?.closeProblem();
      this.#target = undefined;
    }
    // After a stack or output inside a problem, its own text goes on.
    else this.#target = this.#row?.hasOpenProblem ? 'text' : undefined;
  }

  #closeRow(): void {
    const row = this.#row;
    this.#row = undefined;
    this.#target = undefined;
    if (!row) return;
    const closedRow = row.close(this.#ended);
    this.#suites.at(-1)?.addRow(closedRow);
    this.#events.row(closedRow);
  }

  #closeSuite(): void {
    const closedSuite = this.#suites.pop();
    // The counters of a file that ends within the suite cannot be compared with its rows.
    if (!closedSuite || this.#ended) return;
    const suiteErrors = closedSuite.close();
    this.#suites.at(-1)?.addErrorsOfChild(suiteErrors);
    this.#events.suiteErrors(suiteErrors);
  }
}

const isSuite = (element: string | undefined): boolean => element === 'testsuite' || element === 'testsuites';

const TARGETS: ReadonlyMap<string, TextTarget> = new Map([
  ['system-out', 'out'],
  ['system-err', 'err'],
  ['stackTrace', 'stack'],
]);

/** Texts are not copied, because they are not kept longer than the row. A test copies the texts that it keeps. */
const toAttributes = (attributes: Readonly<Record<string, string>>): Map<string, string> =>
  new Map(Object.entries(attributes));

const copyAttributes = (attributes: Readonly<Record<string, string>>): Map<string, string> =>
  new Map(Object.entries(attributes).map(([name, value]) => [copyText(name), copyText(value)]));
