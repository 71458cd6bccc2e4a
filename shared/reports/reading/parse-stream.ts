/** Parses one report that is not an archive. */

import { parseJson } from '#shared/engine/json.ts';
import type { ReportFormat } from '#shared/model/runs/report-format.ts';
import { parseCtrf } from '#shared/reports/ctrf/parse-ctrf.ts';
import { chooseDecoder, decodeText } from '#shared/reports/decoded-text.ts';
import { emptyReport, foreignReport, unknownReport, unreadableReport } from '#shared/reports/errors.ts';
import { parseJUnit } from '#shared/reports/junit/parse-junit.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import type { ParserInput } from '#shared/reports/parser-input.ts';
import { parseBlob } from '#shared/reports/playwright/parse-blob.ts';
import { parsePlaywrightJson } from '#shared/reports/playwright/parse-playwright-json.ts';
import type { ParsedFile } from '#shared/reports/report.ts';
import { BEGINNING_BYTES, openReportFile } from '#shared/reports/unpacked.ts';
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
  const { beginning, bytes } = await openReportFile(stream, { name, reading: input.reading, onCut });
  if (isZip(beginning)) throw unreadableReport(name, 'is a zip archive inside a compressed file');
  const format = input.format ?? detectFormat(beginning, name);
  const file = await PARSERS[format](decodeText(bytes, beginning), input);
  return cut ? { ...file, truncated: true } : file;
}

/** Recognizes the format of a file from its first bytes. Names and content types are often wrong. */
function detectFormat(beginning: Uint8Array, name: string): ReportFormat {
  if (beginning.length === 0) throw emptyReport(name);
  const text = chooseDecoder(beginning).decode(beginning).trimStart();
  const detection = recognizeFormat(text);
  if (typeof detection === 'string') return detection;
  if (text === '') throw emptyReport(name);
  // A tool that crashed leaves a file that ends before anything tells its format.
  if (!detection && isCut(text, beginning.length)) throw unreadableReport(name, 'ends before its first test');
  if ((!detection || detection === TAP) && !isAsNamed(text, name))
    throw unreadableReport(name, 'begins with other text than a report');
  throw detection ? foreignReport(name, ...detection) : unknownReport(name);
}

/** Whether a file that is this short ends within its first element or value. */
function isCut(text: string, bytes: number): boolean {
  if (bytes >= BEGINNING_BYTES) return false;
  if (text.startsWith('<')) return findRootName(text) === '' || !text.includes('>', text.indexOf(findRootName(text)));
  return text.startsWith('{') && parseJson(text) === undefined;
}

/** Whether the content may be what the ending of the name says. Output of a crashed tool is often in its report. */
function isAsNamed(text: string, name: string): boolean {
  if (/\.xml(?:\.gz)?$/i.test(name)) return text.startsWith('<');
  return !/\.json(?:\.gz)?$/i.test(name) || /^[{["\d\-tfn]/.test(text);
}

/** A format that is not accepted: its name, and what to send instead. */
type ForeignFormat = readonly [what: string, advice: string];
type DetectedFormat = ReportFormat | ForeignFormat | undefined;

function recognizeFormat(text: string): DetectedFormat {
  if (text.startsWith('<')) return recognizeXmlFormat(text);
  if (text.startsWith('{') || text.startsWith('[')) return recognizeJsonFormat(text);
  return /^(?:TAP version \d|1\.\.\d|(?:not )?ok \d)/.test(text) ? TAP : undefined;
}

const TAP: ForeignFormat = [
  'TAP',
  'Write JUnit XML: `tap --reporter=junit`, `node --test --test-reporter=junit`, `bats --report-formatter junit`, or tap-junit',
];

const ALLURE: ForeignFormat = ['a result of Allure', 'Add a reporter that writes JUnit XML or CTRF'];
const NUNIT: ForeignFormat = ['an NUnit report', 'Write JUnit XML with JunitXml.TestLogger'];
const ECLIPSE: ForeignFormat = [
  "Eclipse's export of a test run",
  'Run the tests with Maven, Gradle or Ant, which write JUnit XML',
];
const TRX: ForeignFormat = ['a Visual Studio report (trx)', 'Write JUnit XML with JunitXml.TestLogger'];

const FOREIGN_ROOTS: ReadonlyMap<string, ForeignFormat> = new Map([
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

/** After the declaration or comment that begins at `at`. `undefined` if none begins there, or if it has no end. */
function findEndOfAside(text: string, at: number): number | undefined {
  const after = (end: string, from: number): number | undefined => {
    const index = text.indexOf(end, from);
    return index === -1 ? undefined : index + end.length;
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
function findRootName(text: string): string {
  const isBlank = /\s/;
  for (let at = 0; at < text.length; ) {
    const end = isBlank.test(text.charAt(at)) ? at + 1 : findEndOfAside(text, at);
    if (end === undefined) return ROOT.exec(text.slice(at))?.[1] ?? '';
    at = end;
  }
  return '';
}

function recognizeXmlFormat(text: string): DetectedFormat {
  const name = findRootName(text);
  const localName = name.slice(name.indexOf(':') + 1);
  // Eclipse's root element is `testrun`.
  if (localName === 'TestRun') return TRX;
  const root = localName.toLowerCase();
  return root === 'testsuites' || root === 'testsuite' || root === 'testcase'
    ? 'junit'
    : (FOREIGN_ROOTS.get(name) ?? FOREIGN_ROOTS.get(root));
}

const MEMBER = /"(\w+)"\s*:/g;

/** From the first members: Playwright's `stats` comes at the end of the file. */
function recognizeJsonFormat(text: string): DetectedFormat {
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

const XCODE: ForeignFormat = [
  "Xcode's test results",
  'Convert the xcresult bundle to JUnit XML, for example with xcresultparser',
];

/** JSON formats that are not accepted, by members at their beginning. */
const FOREIGN_JSON: readonly (readonly [readonly string[], ForeignFormat])[] = [
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
