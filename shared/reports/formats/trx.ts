/** Visual Studio test results (trx), of VSTest and of Microsoft.Testing.Platform. Definitions follow the results. */

import { DAY_MILLISECONDS } from '#shared/engine/durations.ts';
import { guessMediaType } from '#shared/reports/attached-file.ts';
import type { Format } from '#shared/reports/format.ts';
import type { Ending, FoundTest } from '#shared/reports/found.ts';
import { buildTest, FAILED, PASSED, PENDING, SKIPPED } from '#shared/reports/found-tests.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import type { ParserInput } from '#shared/reports/parser-input.ts';
import { toForwardSlashes } from '#shared/reports/paths.ts';
import type { ParsedFile } from '#shared/reports/report.ts';
import { getZone, parseDuration, parseTime } from '#shared/reports/times.ts';
import { ToolReport } from '#shared/reports/tool-report.ts';
import { takeRows } from '#shared/reports/waiting-rows.ts';
import {
  ElementReader,
  findChild,
  getAttribute,
  getText,
  listChildren,
  type XmlElement,
} from '#shared/reports/xml/element-reader.ts';
import { getAssemblyName, getTargetFramework, placeClass } from './dotnet.ts';

export const TRX: Format = {
  format: 'trx',
  // The case matters: `testrun` is an old export of Eclipse.
  recognizes: ({ root }) => root === 'TestRun',
  parse: parseTrx,
};

const ENDINGS = new Map<string, Ending>([
  ['Passed', PASSED],
  ['PassedButRunAborted', PASSED],
  ['Completed', PASSED],
  ['Warning', PASSED],
  ['NotExecuted', PENDING],
  ['Inconclusive', PENDING],
  ['Pending', PENDING],
  ['InProgress', SKIPPED],
]);
const PLAIN: ReadonlySet<string> = new Set(['Passed', 'Failed', 'NotExecuted']);
/** The writer leaves out its default. */
const DEFAULT_OUTCOME = 'Error';

interface Definition {
  readonly className: string;
  readonly assembly: string;
  readonly targetFramework: string | undefined;
  readonly tags: readonly string[];
  readonly owners: readonly string[];
}

interface Result {
  /** Its own id, then those of the results around it: a data row may have no definition of its own. */
  readonly testIds: readonly string[];
  /** The test without the spec file and title that its definition gives it. */
  readonly test: FoundTest;
}

const UNKNOWN: Definition = { className: '', assembly: '', targetFramework: undefined, tags: [], owners: [] };
/** Generic and web tests of old versions of Visual Studio, manual tests, and lists of tests. */
const RESULTS: readonly string[] = [
  'UnitTestResult',
  'GenericTestResult',
  'WebTestResult',
  'ManualTestResult',
  'TestResult',
  'TestResultAggregation',
];
const BUILT: ReadonlySet<string> = new Set([...RESULTS, 'UnitTest', 'RunInfo', 'Deployment']);
/** Lines in which a runner repeats that a test failed. */
const REPEATED = /^\[xUnit\.net .{0,500}\[FAIL\]$|^Exit code indicates failure/;

async function parseTrx(text: AsyncIterable<string>, input: ParserInput): Promise<ParsedFile> {
  const report = new ToolReport(input);
  const results: Result[] = [];
  const definitions = new Map<string, Definition>();
  const knownDefinitions = new Map<string, Definition>();
  const zone = getZone(input.timezone);
  const fileAt = report.collector.findFiles(NAMED_ONLY);
  let deployment = '';
  let badOutcome: string | undefined;
  let hasEnd = false;
  let host: string | null = null;
  const addResult = (element: XmlElement, parentIds: readonly string[]): boolean => {
    const inner = findChild(element, 'InnerResults')?.children.filter(({ name }) => RESULTS.includes(name)) ?? [];
    const testIds = [getAttribute(element, 'testId'), ...parentIds];
    const word = getAttribute(element, 'outcome') || DEFAULT_OUTCOME;
    const ending = ENDINGS.get(word) ?? FAILED;
    // Only the innermost results are tests: data rows, and the tests of an ordered test. One around them may fail by itself.
    const hasFailedInside = inner.map((child) => addResult(child, testIds)).includes(true);
    const isTold = inner.length > 0 && (ending !== FAILED || hasFailedInside);
    if (isTold || element.isCut || !report.hasRoom(results.length)) return hasFailedInside;
    host ??= getAttribute(element, 'computerName') || null;
    const name = getAttribute(element, 'testName');
    const folder = `${deployment}/In/${getAttribute(element, 'relativeResultsDirectory')}`;
    const files = listChildren(findChild(element, 'ResultFiles'), 'ResultFile').flatMap((file) => {
      const path = toForwardSlashes(getAttribute(file, 'path'));
      const fileName = path.split('/').at(-1) ?? path;
      return fileAt({ name: fileName, contentType: guessMediaType(fileName), path: `${folder}/${path}` }) ?? [];
    });
    const output = findChild(element, 'Output');
    const message = getText(findChild(element, 'Output', 'ErrorInfo', 'Message'));
    const skip = ending === PENDING ? message || getText(output && findChild(output, 'StdOut')) : '';
    const test = buildTest({
      spec: '',
      title: [name],
      ending,
      ...(!PLAIN.has(word) && { raw: word }),
      annotations: skip === '' ? [] : [{ type: 'skip', description: skip }],
      startedAt: parseTime(getAttribute(element, 'startTime'), zone, input.now),
      duration: parseLongDuration(getAttribute(element, 'duration')),
      errors: [{ message, stack: getText(findChild(element, 'Output', 'ErrorInfo', 'StackTrace')) }],
      stdout: listTexts(output, 'StdOut', 'DebugTrace', 'TextMessages'),
      stderr: listTexts(output, 'StdErr'),
      files,
    });
    results.push({ testIds, test: report.collector.trim(test) });
    return ending === FAILED;
  };
  const noteDefinition = (element: XmlElement) => {
    const definition = readDefinition(element);
    // Most tests of a class have the same definition, which needs the memory of one.
    const key = JSON.stringify(definition);
    const sameDefinition = knownDefinitions.get(key) ?? definition;
    knownDefinitions.set(key, sameDefinition);
    definitions.set(getAttribute(element, 'id'), sameDefinition);
  };
  const reader = new ElementReader(
    {
      full: false,
      outputs: new Set(['StdOut', 'StdErr', 'DebugTrace']),
      isBuilt: (name) => BUILT.has(name),
      take: (element) => {
        if (RESULTS.includes(element.name)) addResult(element, []);
        else if (element.name === 'Deployment') deployment = getAttribute(element, 'runDeploymentRoot');
        else if (element.name === 'RunInfo') {
          const line = getText(findChild(element, 'Text')) || getText(element);
          if (getAttribute(element, 'outcome') === 'Error' && !REPEATED.test(line)) report.runError(line);
        } else if (!element.isCut && definitions.size < REPORT_LIMITS.testsPerFile) noteDefinition(element);
      },
      open: (element) => {
        if (element.name !== 'ResultSummary') return;
        const outcome = getAttribute(element, 'outcome');
        if (BAD_RUNS.has(outcome)) badOutcome ??= outcome;
      },
      close: (element, isCut) => {
        if (element.name === 'ResultSummary') hasEnd = !isCut;
      },
    },
    input,
  );
  await reader.read(text);
  let hasFailed = false;
  let framework: string | undefined;
  for (const { testIds, test } of takeRows(results)) {
    const definition = testIds.map((id) => definitions.get(id)).find((one) => one !== undefined);
    const { className, assembly, targetFramework, tags, owners } = definition ?? UNKNOWN;
    hasFailed ||= test.outcome === 'failed';
    framework ??= targetFramework;
    const [name = ''] = test.title;
    report.addKept({
      ...test,
      ...placeClass({ className, assembly, name }),
      tags,
      annotations: [...test.annotations, ...owners.map((owner) => ({ type: 'owner', description: owner }))],
    });
  }
  if (!hasFailed && badOutcome !== undefined)
    report.runErrorIfNone(`The run ended with the outcome ${badOutcome}, but no test failed`);
  return report.finish({
    format: 'trx',
    framework: { type: 'dotnet', version: null },
    machine: host,
    targetFramework: framework,
    truncated: report.isIncomplete(reader) || !hasEnd,
  });
}

const NAMED_ONLY =
  'The report names attachments that it does not contain. Send a zip of the report and its files to keep them';
const BAD_RUNS: ReadonlySet<string> = new Set([
  'Failed',
  'Error',
  'Aborted',
  'PassedButRunAborted',
  'Timeout',
  'Disconnected',
  'NotRunnable',
  'InProgress',
]);

const DAYS = /^(\d{1,6})\.(\d{1,2}:\d{2}:\d{2}.*)$/;

/** Days stand before a point: `1.02:03:04.5`. */
function parseLongDuration(text: string): number {
  const [, days = '0', clock = text] = DAYS.exec(text) ?? [];
  return Number(days) * DAY_MILLISECONDS + parseDuration(clock);
}

const listTexts = (output: XmlElement | undefined, ...names: readonly string[]): string[] =>
  names.flatMap((name) => listChildren(output, name).map((element) => element.text || joinTexts(element)));

const joinTexts = (element: XmlElement): string => element.children.map(({ text }) => text).join('\n');

function readDefinition(element: XmlElement): Definition {
  const method = findChild(element, 'TestMethod');
  const path = (method && getAttribute(method, 'codeBase')) || getAttribute(element, 'storage');
  return {
    // Old files of MSTest have the assembly behind a comma.
    className: ((method && getAttribute(method, 'className')) ?? '').split(',', 1)[0] ?? '',
    assembly: getAssemblyName(path),
    targetFramework: getTargetFramework(path),
    tags: listChildren(findChild(element, 'TestCategory'), 'TestCategoryItem').map((item) =>
      getAttribute(item, 'TestCategory'),
    ),
    owners: listChildren(findChild(element, 'Owners'), 'Owner').map((owner) => getAttribute(owner, 'name')),
  };
}
