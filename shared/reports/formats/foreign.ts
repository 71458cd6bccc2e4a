/** Formats that are not accepted, each with the sentence that says what to send instead. */
import type { Head } from '#shared/reports/head.ts';

/** What the file is, and what to do. */
export type ForeignFormat = readonly [what: string, advice: string];

const COVERAGE: ForeignFormat = ['a coverage report', 'Send the report of the test results'];
const PAGE: ForeignFormat = ['an HTML page', 'Send the JUnit XML or JSON report that the tool writes beside it'];

/** By the whole name of the root element, and by its local name in small letters. */
const ROOTS: ReadonlyMap<string, ForeignFormat> = new Map([
  [
    'ns2:test-suite',
    [
      'a result of Allure 1',
      'This format ended in 2017. Update the Allure reporter, and send a zip archive of allure-results. Or write JUnit XML',
    ],
  ],
  ['ns:events', ['an Open Test Reporting file', 'Send the JUnit files `TEST-*.xml` of the same folder']],
  ['e:events', ['an Open Test Reporting file', 'Send the JUnit files `TEST-*.xml` of the same folder']],
  [
    'test-suite',
    ['a part of an NUnit report', 'Send the whole file, whose root element is `test-run` or `test-results`'],
  ],
  [
    'testrun',
    [
      "Eclipse's export of a test run",
      'Export the run as JUnit XML with the build tool: Maven, Gradle and Ant write it',
    ],
  ],
  ['site', ["CTest's Test.xml", 'Write JUnit XML with `ctest --output-junit junit.xml`']],
  ['testexecutions', ["SonarQube's generic test report", 'Send the JUnit XML report from which it was converted']],
  ['testreport', ['a test report of another tool', 'Write JUnit XML with that tool']],
  ['result', ["Jenkins' copy of a JUnit report", 'Send the JUnit XML files that the tests wrote']],
  ['coverage', COVERAGE],
  ['report', COVERAGE],
  ['coveragesession', COVERAGE],
  ['checkstyle', ['a lint report', 'Send the report of the test results']],
  ['html', PAGE],
  ['!doctype', PAGE],
]);

const XUNIT_1: ForeignFormat = [
  'a report of xUnit.net v1',
  'This format ended in 2014. Use `-xml` of a v2 or v3 runner, or write JUnit XML',
];

const hasAll = (head: Head, ...paths: readonly string[]): boolean => paths.every((path) => head.members.has(path));
const someObject = (head: Head, ...names: readonly string[]): boolean =>
  head.objects.some((one) => names.every((name) => one.has(name)));

const JSONS: readonly (readonly [isFormat: (head: Head) => boolean, ForeignFormat])[] = [
  [
    (head) => head.objects.some((one) => one.get('type') === 'suite' && one.has('event')),
    [
      'the JSON output of libtest',
      'It does not say which crate its tests belong to. Run `cargo nextest run --profile ci` with `junit.path` set, and send the JUnit file',
    ],
  ],
  [
    (head) =>
      hasAll(head, 'metrics', 'root_group') || (hasAll(head, 'metrics') && /"iterations"|"http_reqs"/.test(head.text)),
    ['a k6 summary', 'It has thresholds, not tests. Write JUnit with `jUnit(data)` in `handleSummary`'],
  ],
  [
    (head) => someObject(head, 'id', 'children') && /"(?:buildFinished|started|progress)"/.test(head.text),
    ['a stream of Bazel build events', 'It names targets only. Send `bazel-testlogs/**/test.xml` as a zip archive'],
  ],
  [(head) => head.lines.some((line) => /^\["start",\{/.test(line)), ["mocha's json-stream", 'Use `--reporter json`']],
  [
    (head) => hasAll(head, '*.filePath', '*.messages'),
    ['a lint report of ESLint', 'Send the report of the test results'],
  ],
  [
    (head) => hasAll(head, '_type', '_name'),
    [
      "an object of Xcode's result bundle",
      'Send the output of `xcrun xcresulttool get test-results tests --path x.xcresult`',
    ],
  ],
  [(head) => hasAll(head, 'total', 'total.lines') || hasAll(head, 'meta', 'totals', 'files'), COVERAGE],
  [
    (head) => someObject(head, 'kind', 'version', 'payload'),
    [
      'an event stream of Swift Testing',
      'Send the JUnit files of `swift test --xunit-output`, or the output of `xcrun xcresulttool get test-results tests`',
    ],
  ],
];

const PROVE: ForeignFormat = ['the output of `prove` without `-v`', 'It names no tests. Use `prove -v`'];
const TEAMCITY: ForeignFormat = ['a log with messages for TeamCity', 'Write JUnit XML with the test tool'];

function findForeignText(head: Head): ForeignFormat | undefined {
  if (head.lines.some((line) => /^##teamcity\[/.test(line))) return TEAMCITY;
  const isProve = head.lines.some((line) => /^\S.{0,500} \.\.+ (?:ok|Failed|Dubious|skipped)/.test(line));
  return isProve ? PROVE : undefined;
}

export function findForeignFormat(head: Head): ForeignFormat | undefined {
  if (head.root === 'assembly') return XUNIT_1;
  if (head.rootName !== '') return ROOTS.get(head.rootName) ?? ROOTS.get(head.root.toLowerCase());
  return JSONS.find(([isFormat]) => isFormat(head))?.[1] ?? findForeignText(head);
}
