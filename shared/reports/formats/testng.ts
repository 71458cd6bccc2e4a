/** `testng-results.xml`, which TestNG writes itself. It has what the JUnit files of Surefire lose: retries and `<test>` names. */
import type { Format } from '#shared/reports/format.ts';
import { ENDINGS, type Ending, type FoundTest } from '#shared/reports/found.ts';
import { buildTest, FAILED, joinRows, PASSED, PENDING, SKIPPED } from '#shared/reports/found-tests.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import type { ParserInput } from '#shared/reports/parser-input.ts';
import { replaceUnstableParts } from '#shared/reports/paths.ts';
import type { ParsedFile } from '#shared/reports/report.ts';
import { getZone, parseTime, roundDuration } from '#shared/reports/times.ts';
import { ToolReport } from '#shared/reports/tool-report.ts';
import { takeRows } from '#shared/reports/waiting-rows.ts';
import {
  ElementReader,
  findChild,
  getAttribute,
  getText,
  listChildren,
  listOuter,
  type OuterElement,
  type XmlElement,
} from '#shared/reports/xml/element-reader.ts';

export const TESTNG: Format = {
  format: 'testng',
  recognizes: ({ root }) => root === 'testng-results',
  parse: parseTestng,
};

/** Names of `<test>` that say nothing. */
const UNNAMED: ReadonlySet<string> = new Set(['Default test', 'Command line test', 'Surefire test', 'TestNG', '']);
const WORDS: ReadonlySet<string> = new Set(['PASS', 'FAIL', 'SKIP']);
const UNMET = 'depends on not successfully finished methods';

/** A method, until the failed configuration methods are known, which may follow it. */
interface Row {
  readonly test: FoundTest;
  readonly isSkip: boolean;
  readonly isRetried: boolean;
  readonly exception: string;
  readonly message: string;
}

async function parseTestng(text: AsyncIterable<string>, input: ParserInput): Promise<ParsedFile> {
  const report = new ToolReport(input);
  const rows: Row[] = [];
  const configurationErrors = new Set<string>();
  const zone = getZone(input.timezone);
  const addMethod = (element: XmlElement, outer: OuterElement) => {
    const status = getAttribute(element, 'status');
    const isConfiguration = getAttribute(element, 'is-config') === 'true';
    if (element.isCut || (isConfiguration && status !== 'FAIL') || !report.hasRoom(rows.length, MOST_WAITING)) return;
    const exception = findChild(element, 'exception');
    const message = getText(exception && findChild(exception, 'message'));
    if (isConfiguration) configurationErrors.add(message);
    const name = getAttribute(element, 'name');
    const test = [...listOuter(outer)].find((one) => one.name === 'test');
    const isRetried = getAttribute(element, 'retried') === 'true';
    const isSkip = status === 'SKIP' && !isRetried;
    const { ending, isPercentage } = deriveEnding(status, isRetried);
    const foundTest = buildTest({
      group: test && !UNNAMED.has(getAttribute(test, 'name')) ? getAttribute(test, 'name') : null,
      spec: getAttribute(outer, 'name'),
      title: [isConfiguration ? `(${name})` : replaceUnstableParts(`${name}${formatParameters(element)}`)],
      ending,
      ...(!WORDS.has(status) && { raw: status }),
      startedAt: parseZonedTime(getAttribute(element, 'started-at'), zone, input.now),
      duration: roundDuration(Number(getAttribute(element, 'duration-ms'))),
      errors: exception
        ? [{ message, stack: getText(findChild(exception, 'full-stacktrace')), type: getAttribute(exception, 'class') }]
        : [],
      stdout: listChildren(findChild(element, 'reporter-output'), 'line').map((line) => `${getText(line)}\n`),
      annotations: isSkip && message !== '' ? [{ type: 'skip', description: message }] : [],
    });
    // A failure within the percentage that is allowed does not fail the test.
    const methodTest = isPercentage ? { ...foundTest, outcome: ENDINGS.passed.outcome } : foundTest;
    const type = exception ? getAttribute(exception, 'class') : '';
    rows.push({ test: report.collector.trim(methodTest), isSkip, isRetried, exception: type, message });
  };
  const reader = new ElementReader({ full: false, isBuilt: (name) => name === 'test-method', take: addMethod }, input);
  await reader.read(text);
  const tests = Map.groupBy(takeRows(rows), ({ test: { group, spec, title } }) => JSON.stringify([group, spec, title]));
  for (const [key, all] of tests) {
    tests.delete(key);
    report.addKept(joinInvocations(all.map((row) => resolveSkip(row, configurationErrors))));
  }
  return report.finish({
    format: 'testng',
    framework: { type: 'testng', version: null },
    truncated: report.isIncomplete(reader),
  });
}

const MOST_WAITING = 2 * REPORT_LIMITS.testsPerFile;

function deriveEnding(status: string, isRetried: boolean): { readonly ending: Ending; readonly isPercentage: boolean } {
  if (status === 'SUCCESS_PERCENTAGE_FAILURE') return { ending: FAILED, isPercentage: true };
  if (status === 'PASS') return { ending: PASSED, isPercentage: false };
  return { ending: status === 'SKIP' && !isRetried ? PENDING : FAILED, isPercentage: false };
}

/** A test that was skipped by a failed configuration method, or whose dependencies failed, could not run. */
function resolveSkip(row: Row, configurationErrors: ReadonlySet<string>): Row {
  const { test, exception, message, isSkip } = row;
  const isDeclared =
    exception.endsWith('SkipException') && !configurationErrors.has(message) && !message.includes(UNMET);
  if (!isSkip || isDeclared) return row;
  const { outcome, expectedStatus, state, raw } = SKIPPED;
  const attempts = test.attempts.map((attempt) => ({ ...attempt, state, rawStatus: raw }));
  return { ...row, test: { ...test, outcome, expectedStatus, attempts } };
}

/** After retries, the last run decides. Of plain invocations, one that failed makes the test fail, as in TestNG. */
function joinInvocations(rows: readonly Row[]): FoundTest {
  const tests = rows.map(({ test }) => test);
  const failure = rows.some(({ isRetried }) => isRetried)
    ? undefined
    : tests.findLast(({ outcome }) => outcome === 'failed');
  return joinRows(failure ? [...tests.filter((test) => test !== failure), failure] : tests);
}

function formatParameters(element: XmlElement): string {
  const values = listChildren(findChild(element, 'params'), 'param').map((param) => {
    const value = findChild(param, 'value');
    return value && getAttribute(value, 'is-null') === 'true' ? 'null' : getText(value);
  });
  return values.length === 0 ? '' : `(${values.join(', ')})`;
}

/** In minutes. Other abbreviations are read as the local time of the sender. */
const ZONES: ReadonlyMap<string, string> = new Map([
  ['UTC', 'Z'],
  ['GMT', 'Z'],
  ['Z', 'Z'],
  ['WET', 'Z'],
  ['WEST', '+01:00'],
  ['BST', '+01:00'],
  ['CET', '+01:00'],
  ['CEST', '+02:00'],
  ['EET', '+02:00'],
  ['EEST', '+03:00'],
  ['MSK', '+03:00'],
  ['IST', '+05:30'],
  ['SGT', '+08:00'],
  ['JST', '+09:00'],
  ['KST', '+09:00'],
  ['AEST', '+10:00'],
  ['AEDT', '+11:00'],
  ['EST', '-05:00'],
  ['EDT', '-04:00'],
  ['CST', '-06:00'],
  ['CDT', '-05:00'],
  ['MST', '-07:00'],
  ['MDT', '-06:00'],
  ['PST', '-08:00'],
  ['PDT', '-07:00'],
]);

function parseZonedTime(text: string, zone: ReturnType<typeof getZone>, now: number): number | null {
  const [time = '', abbreviation = ''] = text.split(' ');
  return parseTime(`${time}${ZONES.get(abbreviation) ?? ''}`, zone, now);
}
