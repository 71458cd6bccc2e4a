/** Parses one report that is not an archive. */

import { parseJson } from '#shared/engine/json.ts';
import type { ReportFormat } from '#shared/model/runs/report-format.ts';
import { parseCtrf } from '#shared/reports/ctrf/parse-ctrf.ts';
import { decoded, decoderFor } from '#shared/reports/decoded-text.ts';
import { emptyReport, foreignReport, unknownReport, unreadableReport } from '#shared/reports/errors.ts';
import { parseJUnit } from '#shared/reports/junit/parse-junit.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import type { ParserInput } from '#shared/reports/parser-input.ts';
import { parseBlob } from '#shared/reports/playwright/parse-blob.ts';
import { parsePlaywrightJson } from '#shared/reports/playwright/parse-playwright-json.ts';
import type { ParsedFile } from '#shared/reports/report.ts';
import { BEGINNING_BYTES, openedBeginning } from '#shared/reports/unpacked.ts';
import { isZip } from './archive.ts';

type Parser = (text: AsyncIterable<string>, input: ParserInput) => Promise<ParsedFile>;

const PARSERS: Readonly<Record<ReportFormat, Parser>> = {
  junit: parseJUnit,
  ctrf: parseCtrf,
  'playwright-json': parsePlaywrightJson,
  'playwright-blob': parseBlob,
};

export async function parseStream(stream: AsyncIterable<Uint8Array>, input: ParserInput): Promise<ParsedFile> {
  const name = input.name ?? '';
  input.reading.work(REPORT_LIMITS.work.file, name);
  let cut = false;
  const onCut = () => {
    cut = true;
  };
  const { beginning, bytes } = await openedBeginning(stream, { name, reading: input.reading, onCut });
  if (isZip(beginning)) throw unreadableReport(name, 'is a zip archive inside a compressed file');
  const format = input.format ?? detectedFormat(beginning, name);
  const file = await PARSERS[format](decoded(bytes, beginning), input);
  return cut ? { ...file, truncated: true } : file;
}

/** Recognizes the format of a file from its first bytes. Names and content types are often wrong. */
function detectedFormat(beginning: Uint8Array, name: string): ReportFormat {
  if (beginning.length === 0) throw emptyReport(name);
  const text = decoderFor(beginning).decode(beginning).trimStart();
  const detected = detect(text);
  if (typeof detected === 'string') return detected;
  if (text === '') throw emptyReport(name);
  // A tool that crashed leaves a file that ends before anything tells its format.
  if (!detected && isCut(text, beginning.length)) throw unreadableReport(name, 'ends before its first test');
  if ((!detected || detected === TAP) && !isAsNamed(text, name))
    throw unreadableReport(name, 'begins with other text than a report');
  throw detected ? foreignReport(name, ...detected) : unknownReport(name);
}

/** Whether a file that is this short ends within its first element or value. */
function isCut(text: string, bytes: number): boolean {
  if (bytes >= BEGINNING_BYTES) return false;
  if (text.startsWith('<')) return rootIn(text) === '' || !text.includes('>', text.indexOf(rootIn(text)));
  return text.startsWith('{') && parseJson(text) === undefined;
}

/** Whether the content may be what the ending of the name says. Output of a crashed tool is often in its report. */
function isAsNamed(text: string, name: string): boolean {
  if (/\.xml(?:\.gz)?$/i.test(name)) return text.startsWith('<');
  return !/\.json(?:\.gz)?$/i.test(name) || /^[{["\d\-tfn]/.test(text);
}

/** A format that is not accepted: its name, and what to send instead. */
type Foreign = readonly [what: string, advice: string];
type Detected = ReportFormat | Foreign | undefined;

function detect(text: string): Detected {
  if (text.startsWith('<')) return inXml(text);
  if (text.startsWith('{') || text.startsWith('[')) return inJson(text);
  return /^(?:TAP version \d|1\.\.\d|(?:not )?ok \d)/.test(text) ? TAP : undefined;
}

const TAP: Foreign = [
  'TAP',
  'Write JUnit XML: `tap --reporter=junit`, `node --test --test-reporter=junit`, `bats --report-formatter junit`, or tap-junit',
];

const ALLURE: Foreign = ['a result of Allure', 'Add a reporter that writes JUnit XML or CTRF'];
const NUNIT: Foreign = ['an NUnit report', 'Write JUnit XML with JunitXml.TestLogger'];
const ECLIPSE: Foreign = [
  "Eclipse's export of a test run",
  'Run the tests with Maven, Gradle or Ant, which write JUnit XML',
];
const TRX: Foreign = ['a Visual Studio report (trx)', 'Write JUnit XML with JunitXml.TestLogger'];

/** The root elements of XML formats that are not accepted. */
const FOREIGN_ROOTS: ReadonlyMap<string, Foreign> = new Map([
  ['testng-results', ['a TestNG report', 'Send the JUnit XML files that TestNG or Maven Surefire writes beside it']],
  ['test-run', NUNIT],
  ['test-results', NUNIT],
  ['test-suite', NUNIT],
  ['ns2:test-suite', ALLURE],
  ['assemblies', ['an xUnit.net report', 'Write JUnit XML with JunitXml.TestLogger']],
  ['assembly', ['an xUnit.net report', 'Write JUnit XML with JunitXml.TestLogger']],
  ['testrun', ECLIPSE],
  ['site', ["CTest's Test.xml", 'Write JUnit XML with `ctest --output-junit junit.xml`']],
  ['testexecutions', ["SonarQube's generic test report", 'Send the JUnit XML report from which it was converted']],
  ['result', ["Jenkins' copy of a JUnit report", 'Send the JUnit XML files that the tests wrote']],
  ['robot', ["Robot Framework's output.xml", 'Write JUnit XML with `--xunit`']],
  ['coverage', ['a coverage report', 'Send the report of the test results']],
  ['report', ['a coverage report', 'Send the report of the test results']],
  ['html', ['an HTML page', 'Send the JUnit XML or JSON report that the tool writes beside it']],
  ['!doctype', ['an HTML page', 'Send the JUnit XML or JSON report that the tool writes beside it']],
]);

/**
 * Returns the position after the declaration or comment that begins at `at`. Returns `undefined` if none begins there,
 * or if it has no end.
 */
function endOfAside(text: string, at: number): number | undefined {
  const after = (end: string, from: number): number | undefined => {
    const found = text.indexOf(end, from);
    return found === -1 ? undefined : found + end.length;
  };
  if (text.startsWith('<?', at)) return after('>', at);
  if (text.startsWith('<!--', at)) return after('-->', at + '<!--'.length);
  if (!/^<!doctype(?! html)/i.test(text.slice(at, at + '<!doctype html'.length))) return undefined;
  const end = after('>', at);
  const entities = text.indexOf('[', at);
  if (entities === -1 || end === undefined || end < entities) return end;
  const behind = after(']', entities);
  return behind && after('>', behind);
}

const ROOT = /^<([!\w][\w.:-]*)/;

/** The name of the root element. Takes linear time, because the file is untrusted. */
function rootIn(text: string): string {
  const isBlank = /\s/;
  for (let at = 0; at < text.length; ) {
    const end = isBlank.test(text.charAt(at)) ? at + 1 : endOfAside(text, at);
    if (end === undefined) return ROOT.exec(text.slice(at))?.[1] ?? '';
    at = end;
  }
  return '';
}

function inXml(text: string): Detected {
  const name = rootIn(text);
  const plain = name.slice(name.indexOf(':') + 1);
  // Eclipse's root element is `testrun`.
  if (plain === 'TestRun') return TRX;
  const root = plain.toLowerCase();
  return root === 'testsuites' || root === 'testsuite' || root === 'testcase'
    ? 'junit'
    : (FOREIGN_ROOTS.get(name) ?? FOREIGN_ROOTS.get(root));
}

const MEMBER = /"(\w+)"\s*:/g;

/**
 * Detects the format from the first members of the JSON. Does not look for Playwright's `stats`, which comes at the end
 * of the file.
 */
function inJson(text: string): Detected {
  if (/^\{\s*"method"\s*:\s*"onBlobReportMetadata"/.test(text)) return 'playwright-blob';
  if (/"reportFormat"\s*:\s*"CTRF"/.test(text)) return 'ctrf';
  const members = new Set([...text.matchAll(MEMBER)].map(([, name]) => name));
  const has = (...names: readonly string[]): boolean => names.every((name) => members.has(name));
  if (has('numTotalTests') || has('numFailedTestSuites'))
    return ["Jest's or Vitest's JSON report", 'Use jest-junit, the `junit` reporter of Vitest, or a CTRF reporter'];
  if (has('config', 'rootDir') || has('suites', 'specs') || has('config', 'suites')) return 'playwright-json';
  if (has('stats', 'passes') && !has('tool'))
    return ["mocha's JSON report", 'Use mocha-junit-reporter or mocha-ctrf-json-reporter'];
  if (has('results', 'tool')) return 'ctrf';
  return FOREIGN_JSON.find(([members]) => has(...members))?.[1];
}

const XCODE: Foreign = [
  "Xcode's test results",
  'Convert the xcresult bundle to JUnit XML, for example with xcresultparser',
];

/** JSON formats that are not accepted, by members at their beginning. */
const FOREIGN_JSON: readonly (readonly [readonly string[], Foreign])[] = [
  [
    ['Action', 'Package'],
    ['the output of `go test -json`', 'Write JUnit XML with gotestsum or go-junit-report'],
  ],
  [
    ['uri', 'elements', 'keyword'],
    ["Cucumber's JSON report", 'Write JUnit XML with `--format junit:report.xml`'],
  ],
  [
    ['meta', 'protocolVersion'],
    ["Cucumber's messages", 'Write JUnit XML with `--format junit:report.xml`'],
  ],
  [
    ['protocolVersion', 'runnerVersion'],
    ['the output of `dart test --reporter json`', 'Convert it with junitreport'],
  ],
  [['uuid', 'labels'], ALLURE],
  [
    ['version', 'examples'],
    ["RSpec's JSON report", 'Write JUnit XML with rspec_junit_formatter'],
  ],
  [
    ['created', 'exitcode'],
    ['the report of pytest-json-report', 'Write JUnit XML with `--junit-xml=junit.xml`'],
  ],
  [['testNodes'], XCODE],
  [['_type', '_name'], XCODE],
];
