/** Parses JUnit XML from any tool. The file is read as a stream. */

import { cutText } from '#shared/engine/cut-text.ts';
import { makeVisibleLine, removeControlSequences } from '#shared/engine/plain-text.ts';
import { Collector } from '#shared/reports/collector.ts';
import { unreadableReport } from '#shared/reports/errors.ts';
import type { Format } from '#shared/reports/format.ts';
import { type FormerName, type FoundTest, pickLastTest } from '#shared/reports/found.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import type { ParserInput } from '#shared/reports/parser-input.ts';
import { DEFAULT_GROUP } from '#shared/reports/paths.ts';
import type { ParsedFile } from '#shared/reports/report.ts';
import { getZone, parseDuration, parseTime, UTC } from '#shared/reports/times.ts';
import type { Dialect, DialectContext, Sample } from './dialect.ts';
import { type FormerDialect, findFormerDialect } from './former-places.ts';
import { normalizeJunitTitle, toFoundJunitTest } from './found-row.ts';
import { GENERIC } from './generic.ts';
import {
  BUN,
  DENO,
  JEST,
  KARMA,
  MOCHA_JUNIT,
  MOCHA_XUNIT,
  NODE_TAP,
  NODE_TEST,
  VITEST,
  WEBDRIVERIO,
} from './javascript.ts';
import { GRADLE, SUREFIRE } from './jvm.ts';
import { BATS, CATCH2, CTEST, GOOGLETEST, GOTESTSUM, NEXTEST, PHPUNIT, RSPEC } from './native.ts';
import { PLAYWRIGHT_DIALECT } from './playwright.ts';
import { BEHAVE, PYTEST, ROBOT, XMLRUNNER } from './python.ts';
import { type RowEvents, RowReader } from './read-rows.ts';
import { getJunitAttribute, type JunitRow, type JunitSuite, listSuites } from './row.ts';

const ROOTS: ReadonlySet<string> = new Set(['testsuites', 'testsuite', 'testcase']);

export const JUNIT: Format = {
  format: 'junit',
  recognizes: ({ root }) => ROOTS.has(root.toLowerCase()),
  parse: parseJUnit,
};

interface Reading {
  readonly dialect: Dialect;
  readonly former: FormerDialect | undefined;
  readonly context: DialectContext;
}

async function parseJUnit(text: AsyncIterable<string>, hints: ParserInput): Promise<ParsedFile> {
  const collector = new Collector(hints, DEFAULT_GROUP);
  const { warnings } = collector;
  const sample: Mutable<Sample> = { roots: [], suites: [], rows: [], comments: [] };
  let reading: Reading | undefined;
  /** Kept until the end of the file, because their dialect corrects them by comparing them with other tests. */
  const waitingTests: FoundTest[] = [];
  let machine: string | undefined;
  const runErrors: string[] = [];
  const runWarnings: string[] = [];
  const lastComments: string[] = [];
  const failedSuites = new WeakSet<JunitSuite>();
  /** Rows that failed, and the suites around them. */
  let failures = 0;
  const countFailure = (row: JunitRow) => {
    failures += 1;
    for (const suite of listSuites(row)) {
      if (!failedSuites.has(suite)) failures += 1;
      failedSuites.add(suite);
    }
  };
  const readRow = (originalRow: JunitRow, { dialect, former, context }: Reading) => {
    const row = dialect.correct?.(originalRow) ?? originalRow;
    const place = dialect.place(row, hints.root);
    const foundTest = toFoundJunitTest(row, context, place);
    if (!foundTest) return;
    if (dialect.readFailures && foundTest.outcome === 'failed') countFailure(row);
    const completeTest = dialect.complete?.(foundTest, row, place) ?? foundTest;
    const test = collector.trim({ ...completeTest, former: former && toFormerName(former, row) });
    if (!row.attributes.has('name')) warnings.once('Tests without a name are called "(unknown)"');
    if (!dialect.finish) collector.add(test, place.sameName ?? dialect.sameName);
    else if (waitingTests.length < MOST_WAITING) waitingTests.push(test);
  };
  const toFormerName = ({ place, sameName = 'numbered' }: FormerDialect, row: JunitRow): FormerName => {
    const formerPlace = place(row, hints.root);
    return {
      spec: formerPlace.spec,
      title: normalizeJunitTitle(formerPlace),
      sameName: formerPlace.sameName ?? sameName,
    };
  };
  const beginReading = () => {
    const dialect = DIALECTS.find(({ matches }) => matches(sample)) ?? GENERIC;
    const zone = dialect.isUtc ? UTC : getZone(hints.timezone);
    const formerDialect = findFormerDialect(sample, dialect);
    reading = { dialect, former: formerDialect, context: { ...hints, zone, fileAt: collector.findFiles(NAMED_ONLY) } };
    for (const row of sample.rows.splice(0)) readRow(row, reading);
    return reading;
  };
  const events: RowEvents = {
    root: (root) => {
      if (sample.roots.length < REPORT_LIMITS.sampledTests) sample.roots.push(root);
    },
    suite: (suite) => {
      if (sample.suites.length < REPORT_LIMITS.sampledTests) sample.suites.push(suite);
      const host = suite.attributes.get('hostname');
      if (host && host !== NO_HOST) machine ??= host;
    },
    comment: (comment) => {
      if (sample.comments.length < REPORT_LIMITS.sampledTests) sample.comments.push(comment);
      else sample.comments[REPORT_LIMITS.sampledTests - 1] = comment;
      lastComments.push(comment);
      if (lastComments.length > LAST_COMMENTS) lastComments.shift();
    },
    suiteErrors: ({ errors, warning }) => {
      runErrors.push(...errors.slice(0, REPORT_LIMITS.runErrors - runErrors.length));
      if (warning !== undefined && runWarnings.length < REPORT_LIMITS.runErrors) runWarnings.push(warning);
    },
    work: (units) => hints.reading.work(units, hints.name),
    row: (row) => {
      const nameCharacters = row.classname.length + row.name.length + getJunitAttribute(row, 'file').length;
      const { xmlTest, test, nameCharacter } = REPORT_LIMITS.work;
      events.work(xmlTest + test + nameCharacters * nameCharacter);
      if (reading) return readRow(row, reading);
      sample.rows.push(row);
      if (sample.rows.length === REPORT_LIMITS.sampledTests) beginReading();
    },
    /** The rest of the file must be read if further rows may be attempts of the tests found so far. */
    get full() {
      const sameName = reading?.dialect.sameName;
      return collector.full && sameName !== 'attempts' && sameName !== 'last';
    },
  };
  const reader = new RowReader(events);
  for await (const part of text) if (!reader.write(part)) break;
  reader.end();
  const { dialect, context } = reading ?? beginReading();
  const [root] = sample.roots;
  if (!root) throw unreadableReport(hints.name ?? '', 'has no XML element');
  if (dialect.countsTwice) runWarnings.length = 0;
  for (const warning of runWarnings) warnings.add(warning);
  for (const test of dialect.finish?.(waitingTests) ?? []) collector.add(test, dialect.sameName);
  const failureCount = lastComments.flatMap((comment) => dialect.readFailures?.(comment) ?? []).at(-1) ?? 0;
  if (failureCount > failures && !reader.truncated)
    runErrors.push(`The file counts more failed tests (${failureCount}) than it shows (${failures})`);
  if (reader.tooDeep)
    warnings.add(`Elements are nested deeper than ${REPORT_LIMITS.depth} levels. The rest of the file is left out`);
  else if (reader.truncated && !events.full) warnings.add('The file is truncated. The tests before its end are kept');
  const version = sample.suites.map(({ properties }) => properties.get('go.version')).find(Boolean);
  return collector.finish(dialect.join ?? pickLastTest, {
    format: 'junit',
    dialect: dialect.name,
    framework: { type: dialect.framework ?? dialect.name, version: version?.split(' ', 1)[0] ?? null },
    startedAt: parseTime(root.attributes.get('timestamp'), context.zone, context.now),
    milliseconds: parseDuration(root.attributes.get('time')) || null,
    truncated: reader.truncated,
    runErrors: runErrors.map((error) => cutText(removeControlSequences(error), REPORT_LIMITS.runErrorCharacters)),
    runWarnings: runWarnings.map((warning) => makeVisibleLine(warning)),
    machine: dialect.name === 'playwright' ? null : (machine ?? null),
  });
}

const NAMED_ONLY =
  'The report names attachments that it does not contain. Send a zip of the report and its files to keep them';
/** Those in which a writer may count its tests. */
const LAST_COMMENTS = 10;
/** Catch2 writes this instead of a host name. */
const NO_HOST = 'tbd';
/** There may be more rows than tests, because some rows are attempts of the same test. */
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
  WEBDRIVERIO,
  KARMA,
  BUN,
  DENO,
  NODE_TAP,
  MOCHA_XUNIT,
  MOCHA_JUNIT,
  GRADLE,
  JEST,
  VITEST,
  ROBOT,
  GENERIC,
];
