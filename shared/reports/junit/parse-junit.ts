/** Parses JUnit XML from any tool. The file is read as a stream. */

import { Collector } from '#shared/reports/collector.ts';
import { unreadableReport } from '#shared/reports/errors.ts';
import { type FoundTest, lastOf } from '#shared/reports/found.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import type { ParserInput } from '#shared/reports/parser-input.ts';
import { DEFAULT_GROUP } from '#shared/reports/paths.ts';
import type { ParsedFile } from '#shared/reports/report.ts';
import { timeIn, UTC, zoneOf } from '#shared/reports/times.ts';
import type { Dialect, DialectContext, Sample } from './dialect.ts';
import { foundTest } from './found-row.ts';
import { GENERIC } from './generic.ts';
import { JEST, MOCHA_JUNIT, MOCHA_XUNIT, NODE_TEST, VITEST } from './javascript.ts';
import { GRADLE, SUREFIRE } from './jvm.ts';
import { BATS, CATCH2, CTEST, GOOGLETEST, GOTESTSUM, NEXTEST, PHPUNIT, RSPEC } from './native.ts';
import { PLAYWRIGHT_DIALECT } from './playwright.ts';
import { BEHAVE, PYTEST, ROBOT, XMLRUNNER } from './python.ts';
import { type Root, type RowEvents, RowReader } from './read-rows.ts';
import type { JunitRow, JunitSuite } from './row.ts';

export async function parseJUnit(text: AsyncIterable<string>, hints: ParserInput): Promise<ParsedFile> {
  const file = new JUnitFile(hints);
  const reader = new RowReader(file);
  for await (const part of text) if (!reader.write(part)) break;
  reader.end();
  return file.parsed(reader);
}

interface Reading {
  readonly dialect: Dialect;
  readonly context: DialectContext;
}

class JUnitFile implements RowEvents {
  readonly #hints: ParserInput;
  readonly #collector: Collector;
  readonly #sample: Mutable<Sample> = { roots: [], suites: [], rows: [], comments: [] };
  #reading: Reading | undefined;
  /**
   * Tests that are kept until the end of the file, because their dialect corrects them by comparing them with other
   * tests.
   */
  readonly #waiting: FoundTest[] = [];
  #machine: string | null = null;

  constructor(hints: ParserInput) {
    this.#hints = hints;
    this.#collector = new Collector(hints, DEFAULT_GROUP);
  }

  root(root: Root): void {
    if (this.#sample.roots.length < REPORT_LIMITS.sampledTests) this.#sample.roots.push(root);
  }

  suite(suite: JunitSuite): void {
    if (this.#sample.suites.length < REPORT_LIMITS.sampledTests) this.#sample.suites.push(suite);
    const host = suite.attributes.get('hostname');
    if (host && host !== NO_HOST) this.#machine ??= host;
  }

  comment(text: string): void {
    if (this.#sample.comments.length < REPORT_LIMITS.sampledTests) this.#sample.comments.push(text);
    else this.#sample.comments[REPORT_LIMITS.sampledTests - 1] = text;
  }

  work(units: number): void {
    this.#hints.reading.work(units, this.#hints.name);
  }

  row(row: JunitRow): void {
    this.work(REPORT_LIMITS.work.xmlTest);
    if (this.#reading) this.#read(row, this.#reading);
    else {
      this.#sample.rows.push(row);
      if (this.#sample.rows.length === REPORT_LIMITS.sampledTests) this.#begin();
    }
  }

  /**
   * Whether the rest of the file can be skipped, because no more tests are kept. The rest must be read if further rows
   * may be attempts of the tests found so far.
   */
  get full(): boolean {
    const sameName = this.#reading?.dialect.sameName;
    return this.#collector.full && sameName !== 'attempts' && sameName !== 'last';
  }

  #begin() {
    const dialect = DIALECTS.find(({ matches }) => matches(this.#sample)) ?? GENERIC;
    const zone = dialect.isUtc ? UTC : zoneOf(this.#hints.timezone);
    const reading = { dialect, context: { ...this.#hints, zone, fileAt: this.#collector.findFiles(NAMED_ONLY) } };
    this.#reading = reading;
    for (const row of this.#sample.rows.splice(0)) this.#read(row, reading);
    return reading;
  }

  #read(sent: JunitRow, { dialect, context }: Reading): void {
    const row = dialect.correct?.(sent) ?? sent;
    const place = dialect.place(row, this.#hints.root);
    const found = foundTest(row, context, place);
    if (!found) return;
    const test = this.#collector.trim(dialect.complete?.(found, row, place) ?? found);
    if (!row.attributes.has('name')) this.#collector.warnings.once('Tests without a name are called "(unknown)"');
    if (!dialect.finish) this.#collector.add(test, dialect.sameName);
    else if (this.#waiting.length < MOST_WAITING) this.#waiting.push(test);
  }

  parsed(reader: RowReader): ParsedFile {
    const { dialect, context } = this.#reading ?? this.#begin();
    const { roots, suites } = this.#sample;
    const [root] = roots;
    if (!root) throw unreadableReport(this.#hints.name ?? '', 'has no XML element');
    for (const test of dialect.finish?.(this.#waiting) ?? []) this.#collector.add(test, dialect.sameName);
    if (reader.tooDeep)
      this.#collector.warnings.add(
        `Elements are nested deeper than ${REPORT_LIMITS.depth} levels. The rest of the file is left out`,
      );
    else if (reader.truncated && !this.full)
      this.#collector.warnings.add('The file is truncated. The tests before its end are kept');
    const version = suites.map(({ properties }) => properties.get('go.version')).find(Boolean);
    return this.#collector.finish(dialect.join ?? lastOf, {
      format: 'junit',
      dialect: dialect.name,
      framework: { type: dialect.framework, version: version?.split(' ', 1)[0] ?? null },
      startedAt: timeIn(root.attributes.get('timestamp'), context.zone, context.now),
      truncated: reader.truncated,
      machine: dialect.name === 'playwright' ? null : this.#machine,
    });
  }
}

const NAMED_ONLY =
  'The report names attachments that it does not contain. Send a zip of the report and its files to keep them';
/** Catch2 writes this instead of a host name. */
const NO_HOST = 'tbd';
/**
 * The maximum number of rows that are kept until the end of the file. There may be more rows than tests, because some
 * rows are attempts of the same test.
 */
const MOST_WAITING = 2 * REPORT_LIMITS.testsPerFile;

type Mutable<Lists> = { [Name in keyof Lists]: Lists[Name] extends readonly (infer One)[] ? One[] : Lists[Name] };

/** Dialects in the order in which they are tried. The first match wins. */
const DIALECTS: readonly Dialect[] = [
  SUREFIRE,
  GOTESTSUM,
  NEXTEST,
  PHPUNIT,
  GOOGLETEST,
  RSPEC,
  CTEST,
  CATCH2,
  BEHAVE,
  PLAYWRIGHT_DIALECT,
  BATS,
  PYTEST,
  XMLRUNNER,
  NODE_TEST,
  MOCHA_XUNIT,
  MOCHA_JUNIT,
  GRADLE,
  JEST,
  VITEST,
  ROBOT,
  GENERIC,
];
