/** The XML reports of NUnit 3 and NUnit 2, which Pester, Unity and other tools write too. */
import type { Annotation } from '#shared/model/results/attempt.ts';
import { guessMediaType } from '#shared/reports/attached-file.ts';
import type { Format } from '#shared/reports/format.ts';
import type { Ending } from '#shared/reports/found.ts';
import { buildTest, type ErrorTexts, FAILED, PASSED, PENDING } from '#shared/reports/found-tests.ts';
import type { ParserInput } from '#shared/reports/parser-input.ts';
import { replaceUnstableParts, toForwardSlashes, toSpecPath } from '#shared/reports/paths.ts';
import type { ParsedFile } from '#shared/reports/report.ts';
import { getZone, parseDuration, parseTime, UTC } from '#shared/reports/times.ts';
import { ToolReport } from '#shared/reports/tool-report.ts';
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
import { getAssemblyName, placeClass } from './dotnet.ts';

export const NUNIT3: Format = {
  format: 'nunit3',
  recognizes: ({ root }) => root === 'test-run',
  parse: (text, input) => parseNunit(text, input, 'nunit3'),
};

export const NUNIT2: Format = {
  format: 'nunit2',
  recognizes: ({ root }) => root === 'test-results',
  parse: (text, input) => parseNunit(text, input, 'nunit2'),
};

type Version = 'nunit3' | 'nunit2';

const ENDINGS = new Map<string, Ending>([
  ['Passed', PASSED],
  ['Warning', PASSED],
  ['Success', PASSED],
  ['Skipped', PENDING],
  ['Ignored', PENDING],
  ['Inconclusive', PENDING],
]);
const PLAIN: ReadonlySet<string> = new Set(['Passed', 'Success', 'Failed', 'Failure', 'Skipped']);
const BUILT: ReadonlySet<string> = new Set(['test-case', 'failure', 'reason', 'properties', 'environment']);

/** What is known of an open suite. */
interface Suite {
  problem: ErrorTexts | undefined;
  failures: number;
  tests: number;
}

async function parseNunit(text: AsyncIterable<string>, input: ParserInput, version: Version): Promise<ParsedFile> {
  const report = new ToolReport(input);
  const zone = version === 'nunit2' ? getZone(input.timezone) : UTC;
  const fileAt = report.collector.findFiles(NAMED_ONLY);
  const suites = new Map<OuterElement, Suite>();
  let startedAt: number | null = null;
  /** Whether a suite or the run has failed, and whether a test or a row for a suite shows that. */
  let isFailedRun = false;
  let hasFailed = false;
  let machine: string | null = null;
  const noteTest = (outer: OuterElement, isFailure: boolean) => {
    hasFailed ||= isFailure;
    for (const element of listOuter(outer)) {
      const suite = suites.get(element);
      if (!suite) continue;
      suite.tests += 1;
      if (isFailure) suite.failures += 1;
    }
  };
  const addTest = (element: XmlElement, outer: OuterElement) => {
    const isExecuted = getAttribute(element, 'executed') !== 'False';
    const isSuccess = isExecuted && getAttribute(element, 'success') === 'True';
    const word = getAttribute(element, 'result') || (isExecuted ? (isSuccess ? 'Success' : '') : 'Ignored');
    const ending = ENDINGS.get(word) ?? FAILED;
    const { tags, annotations } = readProperties(element);
    const reason = getText(findChild(element, 'reason', 'message'));
    const files = listChildren(findChild(element, 'attachments'), 'attachment').flatMap((attachment) => {
      const path = getText(findChild(attachment, 'filePath'));
      const name = getText(findChild(attachment, 'description')) || (path.split(/[\\/]/).at(-1) ?? '');
      return fileAt({ name, contentType: guessMediaType(path), path }) ?? [];
    });
    noteTest(outer, ending === FAILED);
    report.add(
      buildTest({
        ...placeTest(element, outer, input.root),
        ending,
        ...(!PLAIN.has(word) && { raw: word }),
        startedAt: parseTime(getAttribute(element, 'start-time'), zone, input.now),
        duration: parseDuration(getAttribute(element, 'duration') || getAttribute(element, 'time')),
        errors: listErrors(element),
        stdout: [findChild(element, 'output')?.text ?? ''],
        tags,
        annotations: reason === '' ? annotations : [...annotations, describeReason(ending, reason)],
        files,
      }),
    );
  };
  const addSuite = (outer: OuterElement) => {
    const suite = suites.get(outer);
    suites.delete(outer);
    if (!suite) return;
    const name = nameFailedSuite(outer, suite, version);
    if (name === undefined) return;
    const problem = suite.problem ?? { message: '' };
    noteTest(outer, true);
    if (getAttribute(outer, 'type') === 'Assembly') report.runError(problem.message || 'The assembly could not be run');
    else report.add(buildTest({ ...placeInSuite(outer, [name], input.root), ending: FAILED, errors: [problem] }));
  };
  const reader = new ElementReader(
    {
      get full() {
        return report.full;
      },
      outputs: new Set(['output']),
      isBuilt: (name) => BUILT.has(name),
      open: (outer) => {
        isFailedRun ||= getResult(outer) === FAILED;
        if (outer.name === 'test-suite') suites.set(outer, { problem: undefined, failures: 0, tests: 0 });
        if (outer.parent) return;
        const localTime = `${getAttribute(outer, 'date')} ${getAttribute(outer, 'time')}`;
        startedAt = parseTime(getAttribute(outer, 'start-time') || localTime, zone, input.now);
      },
      take: (element, outer) => {
        const suite = suites.get(outer);
        if (element.name === 'test-case') addTest(element, outer);
        else if (element.name === 'environment') machine ??= getAttribute(element, 'machine-name') || null;
        else if (suite && element.name !== 'properties' && !suite.problem) suite.problem = readProblem(element);
      },
      close: (outer, isCut) => {
        if (!isCut) addSuite(outer);
      },
    },
    input,
  );
  await reader.read(text);
  if (isFailedRun && !hasFailed) report.runErrorIfNone('The run failed, but no test did');
  return report.finish({
    format: version,
    framework: { type: 'nunit', version: null },
    startedAt,
    machine,
    truncated: report.isIncomplete(reader),
  });
}

const NAMED_ONLY =
  'The report names attachments that it does not contain. Send a zip of the report and its files to keep them';

/** NUnit 2.4 says only whether a test or suite was a success. */
function getResult(element: Pick<XmlElement, 'attributes'>): Ending | undefined {
  const word = getAttribute(element, 'result');
  if (word !== '') return ENDINGS.get(word) ?? FAILED;
  return getAttribute(element, 'success') === 'False' ? FAILED : undefined;
}

/** The name of the row for a suite that failed by itself. `undefined` if its tests tell what happened. */
function nameFailedSuite(outer: OuterElement, { failures, tests }: Suite, version: Version): string | undefined {
  if (getResult(outer) !== FAILED) return undefined;
  if (version === 'nunit2') return failures === 0 ? '(fixture)' : undefined;
  const site = getAttribute(outer, 'site');
  if (site === 'TearDown') return '(OneTimeTearDown)';
  if (site === 'Child' || site === 'Parent') return undefined;
  return tests === 0 ? '(fixture)' : undefined;
}

const describeReason = (ending: Ending, description: string): Annotation => ({
  type: ending === PENDING ? 'skip' : 'warning',
  description,
});

function readProblem(element: XmlElement): ErrorTexts {
  return {
    message: getText(findChild(element, 'message')),
    stack: getText(findChild(element, 'stack-trace')),
  };
}

/** `Assert.Multiple` writes each failed assertion with a stack of its own. */
function listErrors(element: XmlElement): ErrorTexts[] {
  const assertions = listChildren(findChild(element, 'assertions'), 'assertion').filter(
    (one) => getAttribute(one, 'result') !== 'Warning',
  );
  if (assertions.length > 1) return assertions.map(readProblem);
  const failure = findChild(element, 'failure') ?? findChild(element, 'reason');
  const problem = failure ? readProblem(failure) : { message: '' };
  // A timeout has only a sentence as its label.
  return [{ ...problem, message: problem.message || (problem.stack ? '' : getAttribute(element, 'label')) }];
}

function readProperties(element: XmlElement) {
  const properties = listChildren(findChild(element, 'properties'), 'property').map((one) => ({
    type: getAttribute(one, 'name'),
    description: getAttribute(one, 'value'),
  }));
  const categories = listChildren(findChild(element, 'categories'), 'category').map((one) => getAttribute(one, 'name'));
  return {
    tags: [...categories, ...properties.filter(({ type }) => type === 'Category').map((one) => one.description)],
    annotations: properties.filter(({ type }) => type !== 'Category' && !type.startsWith('_')),
  };
}

const listSuites = (outer: OuterElement): OuterElement[] =>
  [...listOuter(outer)].filter(({ name }) => name === 'test-suite').reverse();

const SCRIPT = /\.ps1$/i;
const isTyped = (types: readonly string[], suite: OuterElement): boolean => types.includes(getAttribute(suite, 'type'));

function placeTest(element: XmlElement, outer: OuterElement, root: string | undefined) {
  const suites = listSuites(outer);
  const isScript = suites.some((suite) => SCRIPT.test(getAttribute(suite, 'name')));
  const name = (isScript && getAttribute(element, 'description')) || getAttribute(element, 'name');
  return placeInSuite(outer, [name], root, getAttribute(element, 'classname'));
}

/** `names`: the name of the test. NUnit 2 writes its class before it. */
function placeInSuite(outer: OuterElement, [name = '']: readonly string[], root: string | undefined, ownClass = '') {
  const suites = listSuites(outer);
  const script = suites.findIndex((suite) => SCRIPT.test(getAttribute(suite, 'name')));
  if (script >= 0) return placeInScript(suites.slice(script), name, root);
  const fixture = suites.findLast((suite) => isTyped(FIXTURES, suite));
  const fixtureName = fixture ? getAttribute(fixture, 'name') : '';
  const namespaces = suites
    .filter((suite) => isTyped(['Namespace'], suite))
    .map((suite) => getAttribute(suite, 'name'));
  const fullName = [...namespaces, fixtureName].join('.');
  const className = ownClass || (fixture && getAttribute(fixture, 'classname')) || fullName;
  const assembly = suites.find((suite) => isTyped(['Assembly', 'Test Project'], suite));
  const { spec } = placeClass({
    className: className.split(/[<(`]/, 1)[0] ?? className,
    assembly: getAssemblyName(toForwardSlashes(assembly ? getAttribute(assembly, 'name') : '')),
    name,
  });
  const testName = name.startsWith(`${fullName}.`) ? name.slice(fullName.length + 1) : name;
  const hasArguments = /[<(]/.test(fixtureName) && name !== FIXTURE_ROW;
  return { spec, title: [...(hasArguments ? [fixtureName] : []), testName].map(replaceUnstableParts) };
}

const FIXTURES = ['TestFixture', 'SetUpFixture'];
const FIXTURE_ROW = '(fixture)';

/** Pester: the suite of a script, then its blocks. `description` is the name of a block alone. */
function placeInScript([script, ...blocks]: readonly OuterElement[], name: string, root: string | undefined) {
  const titles = blocks
    .filter((block) => !isTyped(['ParameterizedTest', 'ParameterizedMethod'], block))
    .map((block) => getAttribute(block, 'description') || getAttribute(block, 'name'));
  return { spec: toSpecPath(script ? getAttribute(script, 'name') : '', root), title: [...titles, name] };
}
