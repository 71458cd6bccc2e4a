/** The events of `go test -json`, which gotestsum also writes as its JSON file. Packages and tests may be interleaved. */
import * as z from 'zod';
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

export const GO_TEST: Format = {
  format: 'go-test',
  recognizes: ({ objects }) =>
    objects.some((one) => typeof one.get('Action') === 'string' && (one.has('Package') || one.has('ImportPath'))),
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

const RESULTS = new Map<string, Ending>([
  ['pass', PASSED],
  ['bench', PASSED],
  ['fail', FAILED],
  ['skip', PENDING],
]);

interface OpenTest {
  readonly startedAt: number | null;
  readonly texts: KeptBeginning;
  readonly output: KeptEnd;
  readonly annotations: { readonly type: string; readonly description: string }[];
}

/** One run of the tests of a package. gotestsum runs a package again after a failure. */
interface PackageRun {
  readonly open: Map<string, OpenTest>;
  /** Until the run of the package ends, because `-count=2` runs each test twice. */
  readonly ended: Map<string, FoundTest[]>;
  readonly failedParents: Set<string>;
  readonly texts: KeptBeginning;
  hasFailed: boolean;
}

async function parseGoTest(text: AsyncIterable<string>, input: ParserInput): Promise<ParsedFile> {
  const report = new ToolReport(input);
  const { collector } = report;
  const runs = new Map<string, PackageRun>();
  const builds = new Map<string, KeptBeginning>();
  /** Failed builds that no package has named yet. */
  const failedBuilds = new Set<string>();
  let tests = 0;
  let packages = 0;
  let plainBuild = '';
  const findRun = (name: string): PackageRun => {
    const run = runs.get(name) ?? openRun();
    runs.set(name, run);
    return run;
  };
  const addBuild = (path: string, line: string) => {
    if (!builds.has(path) && builds.size === REPORT_LIMITS.testsPerSpec) return;
    const build = builds.get(path) ?? new KeptBeginning(REPORT_LIMITS.stackCharacters);
    builds.set(path, build);
    if (!line.startsWith('#')) build.add(line);
  };
  const endTest = (run: PackageRun, event: Event, ending: Ending) => {
    if (!report.hasRoom(tests, MOST_WAITING)) return;
    tests += 1;
    const test = buildGoTest(run, event, { ending, input });
    run.open.delete(event.Test);
    run.hasFailed ||= test.outcome === 'failed';
    if (test.outcome === 'failed') noteParents(run, event.Test);
    const rows = run.ended.get(event.Test) ?? [];
    addRepetition(rows, collector.trim(test));
    run.ended.set(event.Test, rows);
  };
  const addEnded = (run: PackageRun) => {
    for (const rows of run.ended.values()) report.addKept(failIfOneFailed(rows), 'attempts');
  };
  const endPackage = (event: Event, ending: Ending) => {
    const run = findRun(event.Package);
    failedBuilds.delete(event.FailedBuild);
    packages += 1;
    // Tests that have not ended were running when the process died. A benchmark has no end of its own.
    for (const name of [...run.open.keys()].reverse()) endTest(run, { ...event, Test: name, Elapsed: 0 }, ending);
    if (ending === FAILED && !run.hasFailed) {
      const build = (builds.get(event.FailedBuild) ?? builds.get(event.Package))?.text ?? '';
      const stack = build === '' ? run.texts.text : build;
      const errors = [{ message: findText(stack), stack }];
      report.add(buildTest({ spec: event.Package, title: ['TestMain'], ending, errors }), 'attempts');
    }
    addEnded(run);
    runs.delete(event.Package);
  };
  const take = (event: Event) => {
    const { Action: action, Package: name, Test: test } = event;
    if (action === 'build-output') addBuild(event.ImportPath, event.Output);
    if (action === 'build-fail' && failedBuilds.size < REPORT_LIMITS.testsPerSpec) failedBuilds.add(event.ImportPath);
    if (name === '') return;
    if (action === 'start') {
      const before = runs.get(name);
      if (before) addEnded(before);
      runs.set(name, openRun());
      return;
    }
    const run = findRun(name);
    const ending = RESULTS.get(action);
    if (ending) return test === '' ? endPackage(event, ending) : endTest(run, event, ending);
    if (test === '') {
      if (action === 'output' && !BLURB.test(event.Output)) run.texts.add(event.Output);
      return;
    }
    if (action === 'run') openTest(run, event, input);
    const open = run.open.get(test);
    if (action === 'attr' && open && open.annotations.length < REPORT_LIMITS.annotationsPerTest)
      open.annotations.push({ type: event.Key, description: event.Value });
    if (action !== 'output' || FRAME.test(event.Output)) return;
    open?.output.add(event.Output);
    open?.texts.add(event.Output);
  };
  const isWhole = await readObjects(
    text,
    {
      full: false,
      take: (value) => {
        const event = Event.safeParse(value).data;
        if (event) take(event);
      },
      // Before Go 1.24, the errors of the compiler are lines between the events.
      other: (line) => {
        const failedPackage = BROKEN.exec(line)?.[1];
        if (failedPackage !== undefined) endPackage(Event.parse({ Package: failedPackage }), FAILED);
        else if (line.startsWith('# ')) plainBuild = line.slice(2).split(' ', 1)[0] ?? '';
        else if (plainBuild !== '') addBuild(plainBuild, `${line}\n`);
      },
    },
    { input, warnings: collector.warnings },
  );
  for (const path of failedBuilds)
    report.runError(`${path}: The build failed. ${findText(builds.get(path)?.text ?? '')}`);
  const isEnded = runs.size === 0 && packages > 0;
  for (const run of runs.values()) addEnded(run);
  return report.finish({
    format: 'go-test',
    framework: { type: 'go', version: null },
    truncated: !isWhole || !isEnded,
  });
}

const MOST_WAITING = 2 * REPORT_LIMITS.testsPerFile;
const FRAME = /^\s*(?:=== |--- )/;
/** Before Go 1.24, a package that could not be built has only such a line. */
const BROKEN = /^FAIL\s(\S{1,2000}) \[(?:build|setup) failed\]/;
/** What Go itself says about a package. */
const BLURB = /^(?:PASS\n|ok\s|\?\s|coverage:|exit status )/;

const openRun = (): PackageRun => ({
  open: new Map(),
  ended: new Map(),
  failedParents: new Set(),
  texts: new KeptBeginning(REPORT_LIMITS.stackCharacters),
  hasFailed: false,
});

function openTest(run: PackageRun, { Test: name, Time: time }: Event, input: ParserInput): void {
  if (run.open.size === REPORT_LIMITS.testsPerFile) return;
  run.open.set(name, {
    startedAt: parseTime(time, UTC, input.now),
    texts: new KeptBeginning(REPORT_LIMITS.stackCharacters),
    output: new KeptEnd(REPORT_LIMITS.outputCharacters),
    annotations: [],
  });
}

const noteParents = ({ failedParents }: PackageRun, name: string): void => {
  for (let at = name.lastIndexOf('/'); at > 0; at = name.lastIndexOf('/', at - 1)) failedParents.add(name.slice(0, at));
};

interface EndOfTest {
  readonly ending: Ending;
  readonly input: ParserInput;
}

function buildGoTest(run: PackageRun, event: Event, { ending }: EndOfTest): FoundTest {
  const { Test: name, Package: spec, Elapsed: seconds = 0 } = event;
  const open = run.open.get(name);
  const [test = '', ...subtest] = name.split('/');
  const stack = open?.texts.text ?? '';
  const reason = ending === PENDING ? listTexts(stack).join('\n') : '';
  return buildTest({
    spec,
    title: [test, subtest.join('/')],
    ending,
    startedAt: open?.startedAt ?? null,
    duration: roundDuration(seconds * 1000),
    errors: [findError(stack, run.failedParents.has(name))],
    stdout: open ? [open.output.text] : [],
    annotations: [...(open?.annotations ?? []), ...(reason === '' ? [] : [{ type: 'skip', description: reason }])],
  });
}

/** `    cart_test.go:12: total: got 2, want 3`, and the lines below it that are indented further. */
const PLACE = /^ {4}(?: {4})*[\w.-]{1,200}\.go:\d{1,9}: /;
const CONTINUATION = /^ {8}/;

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
  const message = FATAL.exec(output)?.[0] ?? findText(output);
  if (message === '' && hasFailedSubtest) return { message: 'A subtest failed' };
  return {
    message: message || 'The test failed without a text, or had not ended when its process ended',
    stack: output,
  };
}

const findText = (output: string): string =>
  output
    .split('\n')
    .find((line) => line.trim() !== '')
    ?.trim() ?? '';
