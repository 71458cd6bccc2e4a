/** The events of `go test -json`, which gotestsum also writes as its JSON file. Packages and tests may be interleaved. */
import * as z from 'zod';
import type { Annotation } from '#shared/model/results/attempt.ts';
import type { Format } from '#shared/reports/format.ts';
import type { Ending, FoundTest } from '#shared/reports/found.ts';
import {
  addRepetition,
  buildTest,
  type ErrorTexts,
  FAILED,
  failIfOneFailed,
  PASSED,
  PENDING,
} from '#shared/reports/found-tests.ts';
import { numberField, textField } from '#shared/reports/json-fields-wire.ts';
import { KeptBeginning, KeptEnd } from '#shared/reports/kept-text.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import { readObjects } from '#shared/reports/lines/line-reader.ts';
import type { ParserInput } from '#shared/reports/parser-input.ts';
import type { ParsedFile } from '#shared/reports/report.ts';
import { parseTime, roundDuration, UTC } from '#shared/reports/times.ts';
import { ToolReport } from '#shared/reports/tool-report.ts';
import type { Warnings } from '#shared/reports/warnings.ts';

export const GO_TEST: Format = {
  format: 'go-test',
  recognizes: ({ objects }) =>
    objects.some(
      (event) => typeof event.get('Action') === 'string' && (event.has('Package') || event.has('ImportPath')),
    ),
  parse: parseGoTest,
};

const Event = z.object({
  Time: textField,
  Action: textField,
  Package: textField,
  ImportPath: textField,
  Test: textField,
  Output: textField,
  Elapsed: numberField,
  FailedBuild: textField,
  Key: textField,
  Value: textField,
});
type Event = z.output<typeof Event>;

const ENDINGS = new Map<string, Ending>([
  ['pass', PASSED],
  ['bench', PASSED],
  ['fail', FAILED],
  ['skip', PENDING],
]);

/** A test that has started and not ended. */
interface OpenTest {
  readonly startedAt: number | null;
  /** The beginning of its output, which says what failed. */
  readonly firstOutput: KeptBeginning;
  /** The end of its output, which is shown as such. */
  readonly lastOutput: KeptEnd;
  readonly annotations: Annotation[];
}

/** One run of the tests of a package. gotestsum runs a package again after a failure. */
interface PackageRun {
  readonly openTests: Map<string, OpenTest>;
  /** By name. They wait for the end of the package, because `-count=2` runs each test twice. */
  readonly endedTests: Map<string, FoundTest[]>;
  /** Tests with a subtest that failed. */
  readonly failedParents: Set<string>;
  /** What the package printed outside of its tests. */
  readonly output: KeptBeginning;
  hasFailedTest: boolean;
}

async function parseGoTest(text: AsyncIterable<string>, input: ParserInput): Promise<ParsedFile> {
  const reader = new GoTestReader(input);
  const isWhole = await readObjects(
    text,
    {
      full: false,
      take: (value) => {
        const event = Event.safeParse(value).data;
        if (event) reader.readEvent(event);
      },
      other: (line) => reader.readPlainLine(line),
    },
    { input, warnings: reader.warnings },
  );
  return reader.finish(isWhole);
}

const MOST_RESULTS = 2 * REPORT_LIMITS.testsPerFile;
/** Lines by which Go frames the output of a test. The events say the same. */
const FRAME = /^\s*(?:=== |--- )/;
const FAILED_BUILD = /^FAIL\s(\S{1,2000}) \[(?:build|setup) failed\]/;
/** What Go itself says about a package. */
const PACKAGE_RESULT = /^(?:PASS\n|ok\s|\?\s|coverage:|exit status )/;

/** Collects the tests of the packages while their events arrive. */
class GoTestReader {
  readonly #report: ToolReport;
  readonly #input: ParserInput;
  /** The runs of packages that have not ended, by the name of the package. */
  readonly #packageRuns = new Map<string, PackageRun>();
  /** What the compiler said, by the import path of the build. */
  readonly #buildOutputs = new Map<string, KeptBeginning>();
  /** Failed builds that no package has named yet. */
  readonly #unnamedFailedBuilds = new Set<string>();
  #resultCount = 0;
  #endedPackageCount = 0;
  /** The build that plain lines are about, before Go 1.24. */
  #plainBuild = '';

  constructor(input: ParserInput) {
    this.#input = input;
    this.#report = new ToolReport(input);
  }

  get warnings(): Warnings {
    return this.#report.collector.warnings;
  }

  readEvent(event: Event): void {
    if (event.Action === 'build-output') this.#addBuildOutput(event.ImportPath, event.Output);
    else if (event.Action === 'build-fail') this.#addFailedBuild(event.ImportPath);
    else if (event.Package === '') return;
    else if (event.Action === 'start') this.#startPackage(event.Package);
    else if (event.Test === '') this.#readPackageEvent(event);
    else this.#readTestEvent(event);
  }

  /** Before Go 1.24, errors of the compiler are plain lines between the events, and a failed build has only such lines. */
  readPlainLine(line: string): void {
    const failedPackage = FAILED_BUILD.exec(line)?.[1];
    if (failedPackage !== undefined) this.#endPackage(Event.parse({ Package: failedPackage }), FAILED);
    else if (line.startsWith('# ')) this.#plainBuild = line.slice(2).split(' ', 1)[0] ?? '';
    else if (this.#plainBuild !== '') this.#addBuildOutput(this.#plainBuild, `${line}\n`);
  }

  finish(isWhole: boolean): ParsedFile {
    for (const path of this.#unnamedFailedBuilds)
      this.#report.runError(`${path}: The build failed. ${findFirstLine(this.#buildOutputs.get(path)?.text ?? '')}`);
    const hasEnded = this.#packageRuns.size === 0 && this.#endedPackageCount > 0;
    for (const run of this.#packageRuns.values()) this.#addEndedTests(run);
    return this.#report.finish({
      format: 'go-test',
      framework: { type: 'go', version: null },
      truncated: !isWhole || !hasEnded,
    });
  }

  #addBuildOutput(path: string, line: string): void {
    if (!this.#buildOutputs.has(path) && this.#buildOutputs.size === REPORT_LIMITS.testsPerSpec) return;
    const output = this.#buildOutputs.get(path) ?? new KeptBeginning(REPORT_LIMITS.stackCharacters);
    this.#buildOutputs.set(path, output);
    // A line with # only names the package.
    if (!line.startsWith('#')) output.add(line);
  }

  #addFailedBuild(path: string): void {
    if (this.#unnamedFailedBuilds.size < REPORT_LIMITS.testsPerSpec) this.#unnamedFailedBuilds.add(path);
  }

  #startPackage(name: string): void {
    const earlierRun = this.#packageRuns.get(name);
    if (earlierRun) this.#addEndedTests(earlierRun);
    this.#packageRuns.set(name, makePackageRun());
  }

  /** Returns the run of the package, also if its start is missing, as in a file whose beginning was cut off. */
  #getPackageRun(name: string): PackageRun {
    const run = this.#packageRuns.get(name) ?? makePackageRun();
    this.#packageRuns.set(name, run);
    return run;
  }

  #readPackageEvent(event: Event): void {
    const run = this.#getPackageRun(event.Package);
    const ending = ENDINGS.get(event.Action);
    if (ending) this.#endPackage(event, ending);
    else if (event.Action === 'output' && !PACKAGE_RESULT.test(event.Output)) run.output.add(event.Output);
  }

  #readTestEvent(event: Event): void {
    const run = this.#getPackageRun(event.Package);
    const ending = ENDINGS.get(event.Action);
    if (ending) this.#endTest(run, event, ending);
    else if (event.Action === 'run') startTest(run, event, this.#input.now);
    else addToOpenTest(run.openTests.get(event.Test), event);
  }

  #endTest(run: PackageRun, event: Event, ending: Ending): void {
    if (!this.#report.hasRoom(this.#resultCount, MOST_RESULTS)) return;
    this.#resultCount += 1;
    const test = buildGoTest(run, event, ending);
    run.openTests.delete(event.Test);
    if (test.outcome === 'failed') {
      run.hasFailedTest = true;
      addFailedParents(run, event.Test);
    }
    const repetitions = run.endedTests.get(event.Test) ?? [];
    addRepetition(repetitions, this.#report.collector.trim(test));
    run.endedTests.set(event.Test, repetitions);
  }

  #endPackage(event: Event, ending: Ending): void {
    const run = this.#getPackageRun(event.Package);
    this.#unnamedFailedBuilds.delete(event.FailedBuild);
    this.#endedPackageCount += 1;
    // Tests that have not ended were running when the process died. A benchmark has no end of its own. Subtests end
    // before their parents, so that these know of a failed subtest.
    for (const name of [...run.openTests.keys()].reverse())
      this.#endTest(run, { ...event, Test: name, Elapsed: 0 }, ending);
    if (ending === FAILED && !run.hasFailedTest) this.#addPackageFailure(run, event);
    this.#addEndedTests(run);
    this.#packageRuns.delete(event.Package);
  }

  /** A package that failed without a failed test was not built, or failed outside of its tests. */
  #addPackageFailure(run: PackageRun, { Package: spec, FailedBuild: failedBuild }: Event): void {
    const buildOutput = (this.#buildOutputs.get(failedBuild) ?? this.#buildOutputs.get(spec))?.text ?? '';
    const stack = buildOutput === '' ? run.output.text : buildOutput;
    const errors = [{ message: findFirstLine(stack), stack }];
    this.#report.add(buildTest({ spec, title: ['TestMain'], ending: FAILED, errors }), 'attempts');
  }

  #addEndedTests(run: PackageRun): void {
    for (const repetitions of run.endedTests.values()) this.#report.addKept(failIfOneFailed(repetitions), 'attempts');
  }
}

const makePackageRun = (): PackageRun => ({
  openTests: new Map(),
  endedTests: new Map(),
  failedParents: new Set(),
  output: new KeptBeginning(REPORT_LIMITS.stackCharacters),
  hasFailedTest: false,
});

function startTest({ openTests }: PackageRun, { Test: name, Time: time }: Event, now: number): void {
  if (openTests.size === REPORT_LIMITS.testsPerFile) return;
  openTests.set(name, {
    startedAt: parseTime(time, UTC, now),
    firstOutput: new KeptBeginning(REPORT_LIMITS.stackCharacters),
    lastOutput: new KeptEnd(REPORT_LIMITS.outputCharacters),
    annotations: [],
  });
}

function addToOpenTest(
  test: OpenTest | undefined,
  { Action: action, Key: type, Value: description, Output: output }: Event,
): void {
  if (!test) return;
  if (action === 'attr' && test.annotations.length < REPORT_LIMITS.annotationsPerTest)
    test.annotations.push({ type, description });
  if (action === 'output' && !FRAME.test(output)) {
    test.firstOutput.add(output);
    test.lastOutput.add(output);
  }
}

/** The parents of `TestCart/total/net` are `TestCart/total` and `TestCart`. */
function addFailedParents({ failedParents }: PackageRun, name: string): void {
  for (let at = name.lastIndexOf('/'); at > 0; at = name.lastIndexOf('/', at - 1)) failedParents.add(name.slice(0, at));
}

function buildGoTest(run: PackageRun, event: Event, ending: Ending): FoundTest {
  const { Test: name, Package: spec, Elapsed: seconds = 0 } = event;
  const openTest = run.openTests.get(name);
  const [test = '', ...subtest] = name.split('/');
  const stack = openTest?.firstOutput.text ?? '';
  const reason = ending === PENDING ? listTexts(stack).join('\n') : '';
  return buildTest({
    spec,
    title: [test, subtest.join('/')],
    ending,
    startedAt: openTest?.startedAt ?? null,
    duration: roundDuration(seconds * 1000),
    errors: [findError(stack, run.failedParents.has(name))],
    stdout: openTest ? [openTest.lastOutput.text] : [],
    annotations: [...(openTest?.annotations ?? []), ...(reason === '' ? [] : [{ type: 'skip', description: reason }])],
  });
}

/** The beginning of `    cart_test.go:12: total: got 2, want 3`. */
const PLACE = /^ {4}(?: {4})*[\w.-]{1,200}\.go:\d{1,9}: /;
const CONTINUATION = /^ {8}/;

/** What a test reported by `t.Error`, `t.Log` or `t.Skip`, without the places in its source. */
function listTexts(output: string): string[] {
  const texts: string[] = [];
  for (const line of output.split('\n')) {
    if (PLACE.test(line)) texts.push(line.replace(PLACE, ''));
    else if (texts.length > 0 && CONTINUATION.test(line)) texts.push(line.trim());
  }
  return texts;
}

const FATAL = /^(?:panic|fatal error): .*/m;

function findError(output: string, hasFailedSubtest: boolean): ErrorTexts {
  const texts = listTexts(output);
  if (texts.length > 0) return { message: texts.join('\n'), stack: output };
  const message = FATAL.exec(output)?.[0] ?? findFirstLine(output);
  if (message === '' && hasFailedSubtest) return { message: 'A subtest failed' };
  return {
    message: message || 'The test failed without a text, or had not ended when its process ended',
    stack: output,
  };
}

const findFirstLine = (output: string): string =>
  output
    .split('\n')
    .find((line) => line.trim() !== '')
    ?.trim() ?? '';
