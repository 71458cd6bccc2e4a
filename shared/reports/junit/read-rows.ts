/**
 * Turns the events of the parser into rows, one per testcase element. Accepts several root elements, ignores namespace
 * prefixes, and never trusts the counters in the file.
 */
import { copyText } from '#shared/engine/own-copy.ts';
import { KeptBeginning, KeptEnd } from '#shared/reports/kept-text.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import { BoundedParser } from '#shared/reports/xml/bounded-parser.ts';
import { getLocalName, makeMarkupFeed } from '#shared/reports/xml/markup-feed.ts';
import { findProblemKind, type JunitProblem, type JunitRow, type JunitSuite, type ProblemKind } from './row.ts';
import { countFailures, findSuiteErrors, type ReadSuite, type SuiteErrors } from './suite-errors.ts';

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

/** The part of a row that receives the text of the current element. */
type Target = 'out' | 'err' | 'stack' | 'text' | undefined;

export class RowReader {
  readonly #events: RowEvents;
  readonly #parser: BoundedParser;
  readonly #feed: ReturnType<typeof makeMarkupFeed>;
  readonly #elements: string[] = [];
  #suite: JunitSuite | null = null;
  #latestFile = '';
  #suiteCount = 0;
  /** The suites that are being read, beginning with the root element. */
  readonly #suites: OpenSuite[] = [];
  #row: OpenRow | undefined;
  #target: Target;
  #ended = false;
  /** Whether the file ends inside an element, or was cut at a limit. */
  truncated = false;
  tooDeep = false;

  constructor(events: RowEvents) {
    this.#events = events;
    this.#parser = new BoundedParser({
      onopentag: (name, attributes) => this.#open(getLocalName(name), attributes),
      onclosetag: (name) => this.#close(getLocalName(name)),
      ontext: (text) => this.#text(text),
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
      this.#suites.push(openSuite(this.#makeSuite(copyAttributes(attributes), null, '')));
    else if (isSuite(name)) this.#openSuite(copyAttributes(attributes));
    else if (name === 'testcase') {
      this.#closeRow();
      this.#row = new OpenRow(toAttributes(attributes), this.#suite);
    } else if (name === 'property') this.#property(copyAttributes(attributes));
    else if (this.#row) this.#openChild(this.#row, name, attributes);
    else if (isInSuite) this.#openChildOfSuite(name, attributes);
  }

  #openSuite(attributes: ReadonlyMap<string, string>): void {
    this.#closeRow();
    this.#latestFile = attributes.get('file') || this.#latestFile;
    this.#suite = this.#makeSuite(attributes, this.#suite, this.#latestFile);
    this.#suites.push(openSuite(this.#suite));
    this.#events.suite(this.#suite);
  }

  #makeSuite(attributes: ReadonlyMap<string, string>, parent: JunitSuite | null, latestFile: string): JunitSuite {
    this.#events.work(REPORT_LIMITS.work.xmlSuite);
    const number = this.#suiteCount;
    this.#suiteCount += 1;
    const name = attributes.get('name') ?? '';
    return { name, number, attributes, parent, latestFile, properties: new Map(), read: { milliseconds: 0 } };
  }

  #property(attributes: ReadonlyMap<string, string>): void {
    const name = attributes.get('name') ?? '';
    const value = attributes.get('value') ?? '';
    if (this.#row) this.#row.property(name, value);
    else if (this.#suite && this.#suite.properties.size < REPORT_LIMITS.propertiesPerElement)
      this.#suite.properties.set(name, value);
  }

  #openChild(row: OpenRow, name: string, attributes: Readonly<Record<string, string>>): void {
    const kind = findProblemKind(name);
    if (kind) {
      row.begin(kind, toAttributes(attributes));
      this.#target = 'text';
    } else this.#target = TARGETS.get(name);
  }

  /** The texts and the problems of a suite itself, outside its rows. */
  #openChildOfSuite(name: string, attributes: Readonly<Record<string, string>>): void {
    const suite = this.#suites.at(-1);
    if (!suite) return;
    if (name === 'error' || name === 'failure') {
      if (suite.problems.length < REPORT_LIMITS.runErrors)
        suite.problem = openProblem(name, copyAttributes(attributes));
      this.#target = 'text';
    } else this.#target = TARGETS.get(name);
  }

  #textOfSuite(text: string): void {
    const suite = this.#suites.at(-1);
    if (this.#target === 'out' || this.#target === 'err') suite?.[this.#target].add(text);
    else if (this.#target) suite?.problem?.[this.#target].add(text);
  }

  #text(text: string): void {
    const row = this.#row;
    if (!row) {
      this.#textOfSuite(text);
      return;
    }
    if (!this.#target) return;
    if (this.#target === 'out' || this.#target === 'err') (row.problem ?? row)[this.#target].add(text);
    else row.problem?.[this.#target].add(text);
  }

  #close(name: string): void {
    if (this.#elements.at(-1) !== name) return;
    this.#elements.pop();
    if (isSuite(name)) {
      this.#closeRow();
      this.#closeSuite();
      if (this.#suite && (name === 'testsuite' || this.#elements.length > 0)) this.#suite = this.#suite.parent;
    } else if (name === 'testcase') this.#closeRow();
    else if (findProblemKind(name) && !this.#ended) {
      this.#row?.end();
      this.#endProblemOfSuite();
      this.#target = undefined;
    } else this.#target = this.#row?.problem ? 'text' : undefined;
  }

  #closeRow(): void {
    const row = this.#row;
    this.#row = undefined;
    this.#target = undefined;
    if (!row) return;
    const closedRow = row.closed(this.#ended);
    const suite = this.#suites.at(-1);
    if (suite) suite.failures += countFailures(closedRow);
    this.#events.row(closedRow);
  }

  #endProblemOfSuite(): void {
    const suite = this.#suites.at(-1);
    if (this.#row || !suite?.problem) return;
    suite.problems.push(suite.problem.closed());
    suite.problem = undefined;
  }

  #closeSuite(): void {
    const closedSuite = this.#suites.pop();
    if (!closedSuite) return;
    // The counters of a file that ends within the suite cannot be compared with its rows.
    if (this.#ended) return;
    const { suite, problems, out, err, failures, unseen } = closedSuite;
    const suiteErrors = findSuiteErrors({ suite, problems, out: out.text, err: err.text, failures, unseen });
    const parent = this.#suites.at(-1);
    if (parent) {
      parent.failures += suiteErrors.failures;
      parent.unseen += suiteErrors.unseen;
    }
    this.#events.suiteErrors(suiteErrors);
  }
}

const isSuite = (element: string | undefined): boolean => element === 'testsuite' || element === 'testsuites';

interface OpenSuite extends Pick<ReadSuite, 'suite'> {
  readonly problems: JunitProblem[];
  readonly out: KeptEnd;
  readonly err: KeptEnd;
  problem: ReturnType<typeof openProblem> | undefined;
  failures: number;
  unseen: number;
}

const openSuite = (suite: JunitSuite): OpenSuite => ({
  suite,
  problems: [],
  out: new KeptEnd(REPORT_LIMITS.runErrorCharacters),
  err: new KeptEnd(REPORT_LIMITS.runErrorCharacters),
  problem: undefined,
  failures: 0,
  unseen: 0,
});

const TARGETS: ReadonlyMap<string, Target> = new Map([
  ['system-out', 'out'],
  ['system-err', 'err'],
  ['stackTrace', 'stack'],
]);
/** Texts are not copied, because they are not kept longer than the row. A test copies the texts that it keeps. */
const toAttributes = (attributes: Readonly<Record<string, string>>): Map<string, string> =>
  new Map(Object.entries(attributes));

const copyAttributes = (attributes: Readonly<Record<string, string>>): Map<string, string> =>
  new Map(Object.entries(attributes).map(([name, value]) => [copyText(name), copyText(value)]));

function openProblem(kind: ProblemKind, attributes: ReadonlyMap<string, string>) {
  const text = new KeptBeginning(REPORT_LIMITS.stackCharacters);
  const stack = new KeptBeginning(REPORT_LIMITS.stackCharacters);
  const out = new KeptEnd(REPORT_LIMITS.outputCharacters);
  const err = new KeptEnd(REPORT_LIMITS.outputCharacters);
  const close = (): JunitProblem => ({
    kind,
    message: attributes.get('message') ?? null,
    type: attributes.get('type') ?? '',
    text: text.text,
    stackTrace: stack.text,
    out: out.text,
    err: err.text,
    timestamp: attributes.get('timestamp'),
    time: attributes.get('time'),
  });
  return { text, stack, out, err, closed: close };
}

class OpenRow {
  readonly #attributes: ReadonlyMap<string, string>;
  readonly #suite: JunitSuite | null;
  readonly #problems: JunitProblem[] = [];
  readonly #properties: (readonly [string, string])[] = [];
  readonly out = new KeptEnd(REPORT_LIMITS.outputCharacters);
  readonly err = new KeptEnd(REPORT_LIMITS.outputCharacters);
  problem: ReturnType<typeof openProblem> | undefined;

  constructor(attributes: ReadonlyMap<string, string>, suite: JunitSuite | null) {
    this.#attributes = attributes;
    this.#suite = suite;
  }

  begin(kind: ProblemKind, attributes: ReadonlyMap<string, string>): void {
    this.end();
    this.problem = openProblem(kind, attributes);
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
