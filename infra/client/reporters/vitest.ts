/** The reporter for Vitest 3 and newer: `reporters: ['default', 'rundown-cli/vitest']`. */
import { parse, resolve } from 'node:path';
import { inspect, stripVTControlCharacters } from 'node:util';
import type { SerializedError, TestAnnotation, TestAttachment, UserConsoleLog } from 'vitest';
import type {
  Reporter,
  TestCase,
  TestModule,
  TestProject,
  TestRunEndReason,
  TestSpecification,
  TestSuite,
  Vitest,
} from 'vitest/node';
import { makeVisible, makeVisibleLine } from '#shared/engine/plain-text.ts';
import { buildAttemptError as reportedError } from '#shared/reports/error-texts.ts';
import type { Copies } from '#shared/reports/names.ts';
import { DEFAULT_GROUP, replaceUnstableParts } from '#shared/reports/paths.ts';
import { normalizeTags } from '#shared/reports/tags.ts';
import type { ReporterOptions } from '../package/reporter.d.ts';
import { isObject } from '../settings/json.ts';
import { type Begun, recorderFor } from './begin.ts';
import type { Attempt, FinishedTest, TestError, TestFile } from './messages.ts';
import { printRecorded } from './print.ts';
import { OUTPUT_CHARACTERS, SPEC_OUTPUT_CHARACTERS } from './recorder.ts';
import { gitInfoOf, rulesOfProject, tagsOfRules } from './rules-of-project.ts';
import { groupNamed, nextName, pathFrom, specNamed, type TestName } from './test-names.ts';
import type {} from './vitest-rules.ts';

/** An output with this number of texts is shortened, even if the texts are short. */
const MOST_CHUNKS = 20_000;

/** The last texts of an output. A test may write many megabytes. */
class Output {
  readonly #most: number;
  #chunks: { readonly time: number; readonly text: string }[] = [];
  #characters = 0;
  /** The number of texts that were added. */
  count = 0;

  constructor(most: number) {
    this.#most = most;
  }

  add(time: number, text: string): void {
    const kept = text.slice(-this.#most);
    this.#chunks.push({ time, text: kept });
    this.#characters += kept.length;
    this.count += 1;
    // The list is shortened only now and then, because shortening copies it.
    if (this.#characters < 2 * this.#most && this.#chunks.length < MOST_CHUNKS) return;
    const newest = this.#chunks.splice(0).reverse();
    this.#characters = 0;
    for (const chunk of newest) {
      if (this.#characters >= this.#most || this.#chunks.length >= MOST_CHUNKS / 2) break;
      this.#chunks.push(chunk);
      this.#characters += chunk.text.length;
    }
    this.#chunks.reverse();
  }

  /**
   * What was written at or after `from` and before `to` (epoch milliseconds), as one text. An empty list if nothing was
   * written.
   */
  between(from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY): string[] {
    const found = this.#chunks.filter(({ time }) => time >= from && time < to).map(({ text }) => text);
    return found.length === 0 ? [] : [found.join('').slice(-this.#most)];
  }
}

class TestOutput {
  readonly stdout = new Output(OUTPUT_CHARACTERS);
  readonly stderr = new Output(OUTPUT_CHARACTERS);
}

/** A spec file of the test run in progress. */
class Module {
  readonly group: string;
  readonly spec: string;
  readonly names = new Map<string, TestName>();
  readonly copies: Copies = new Map();
  readonly output = new Output(SPEC_OUTPUT_CHARACTERS);
  /** By test id: the number of texts that the test had written when its result was sent. */
  readonly sent = new Map<string, number>();
  hasEnded = false;

  constructor(group: string, spec: string) {
    this.group = group;
    this.spec = spec;
  }
}

/** A test run in progress. In watch mode, each run is a recording of its own. */
interface Recording extends Begun {
  readonly outputs: Map<string, TestOutput>;
  /** By the id of a module, suite or test in Vitest: the spec file that it belongs to. */
  readonly moduleOf: Map<string, Module>;
  /** Abandons the recording, and prints why, if the process exits before the end of the test run. */
  readonly onExit: () => void;
  hasFailed: boolean;
}

export default class RundownReporter implements Reporter {
  readonly #options: ReporterOptions;
  #vitest: Vitest | undefined;
  #recording: Recording | undefined;
  #isOff = false;

  constructor(options: ReporterOptions = {}) {
    this.#options = options;
  }

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  /** Vitest waits for this promise before it runs the first test. */
  async onTestRunStart(specifications: readonly TestSpecification[]): Promise<void> {
    safely(() => this.#begin(specifications));
    await this.#provideRules(specifications).catch(report);
  }

  /** Provides the rules of the project to the setup file that applies them. */
  async #provideRules(specifications: readonly TestSpecification[]): Promise<void> {
    const { settings } = this.#recording ?? {};
    const projects = new Set(specifications.map(({ project }) => project).filter(appliesRules));
    if (!settings || projects.size === 0) return;
    const rules = await rulesOfProject(settings);
    const root = this.#vitest?.config.root ?? '';
    for (const project of projects) project.provide('rundown', { rules, gitInfo: gitInfoOf(settings), root });
  }

  #begin(specifications: readonly TestSpecification[]): void {
    const vitest = this.#vitest;
    if (!vitest || this.#isOff) return;
    const begun = recorderFor(this.#options, { type: 'vitest', version: vitest.version });
    this.#isOff = begun === undefined || (vitest.config.watch && !begun.settings.watch);
    if (!begun || this.#isOff) return;
    const { recorder } = begun;
    const projects = specifications.length > 0 ? specifications.map(({ project }) => project) : vitest.projects;
    const groups = new Set(projects.map(({ name }) => groupNamed(name)));
    // Vitest finds the tests of a spec file only when it loads the file.
    recorder.begin(
      [...(groups.size > 0 ? groups : [DEFAULT_GROUP])].map((name) => ({ name, tests: [] })),
      { shards: vitest.config.shard?.count },
    );
    const onExit = () => {
      for (const line of recorder.abandon('The test run was interrupted'))
        console.error(`Rundown  ${makeVisibleLine(line)}`);
    };
    // This listener must run before the one of Vitest 3, which ends the process without calling the other listeners.
    process.prependOnceListener('exit', onExit);
    this.#recording = { ...begun, outputs: new Map(), moduleOf: new Map(), onExit, hasFailed: false };
  }

  onTestModuleQueued(module: TestModule): void {
    safely(() => this.#module(module));
  }

  onTestModuleCollected(module: TestModule): void {
    safely(() => {
      const recording = this.#recording;
      const known = this.#module(module);
      if (!recording || !known) return;
      for (const suite of module.children.allSuites()) recording.moduleOf.set(suite.id, known);
      const tests = [...module.children.allTests()];
      const testIds = tests.map((test) => {
        recording.moduleOf.set(test.id, known);
        return this.#named(test, known).testId;
      });
      recording.recorder.expect(known.group, known.spec, testIds);
    });
  }

  #module({ id, moduleId, project }: TestModule): Module | undefined {
    const recording = this.#recording;
    if (!recording) return undefined;
    const root = this.#vitest?.config.root ?? '';
    const known = recording.moduleOf.get(id) ?? new Module(groupNamed(project.name), specNamed(root, moduleId));
    recording.moduleOf.set(id, known);
    return known;
  }

  #named(test: TestCase, known: Module): TestName {
    const name = known.names.get(test.id) ?? nextName(known, titleOf(test));
    known.names.set(test.id, name);
    return name;
  }

  onUserConsoleLog({ taskId, type, content, time }: UserConsoleLog): void {
    safely(() => {
      if (!this.#recording || taskId === undefined) return;
      const { outputs, moduleOf } = this.#recording;
      const known = outputs.get(taskId) ?? new TestOutput();
      outputs.set(taskId, known);
      known[type].add(time, content);
      moduleOf.get(taskId)?.output.add(time, content);
    });
  }

  onTestCaseResult(test: TestCase): void {
    // Why a test did not run is known only when its module has ended.
    safely(() => {
      if (!isStopped(test)) this.#send(test);
    });
  }

  #send(test: TestCase): void {
    const recording = this.#recording;
    const known = this.#module(test.module);
    if (!recording || !known) return;
    const output = recording.outputs.get(test.id);
    known.sent.set(test.id, countOf(output));
    const finished = { ...this.#named(test, known), ...resultOf(test, output) };
    recording.hasFailed ||= finished.state === 'failed' || finished.state === 'skipped';
    const files = filesOf(test, finished.testId, finished.attempts.length - 1);
    recording.recorder.add(known.group, known.spec, finished, files);
  }

  onTestModuleEnd(module: TestModule): void {
    safely(() => this.#endModule(module));
  }

  #endModule(module: TestModule): void {
    const recording = this.#recording;
    const known = this.#module(module);
    if (!recording || !known || known.hasEnded) return;
    known.hasEnded = true;
    const tests = [...module.children.allTests()];
    for (const test of tests) {
      // The output of a test may arrive after its result.
      const { state } = test.result();
      const hasMore = state === 'failed' && known.sent.get(test.id) !== countOf(recording.outputs.get(test.id));
      if (!known.sent.has(test.id) || hasMore) this.#send(test);
    }
    const blamed = new Set(tests.filter(isStopped).map((test) => brokenParent(test)?.id));
    for (const suite of module.children.allSuites()) if (!blamed.has(suite.id)) this.#sendBroken(suite, known);
    this.#sendBroken(module, known);
    recording.recorder.addOutput(known.group, known.spec, known.output.between().join(''));
  }

  /**
   * Records a failed test in place of errors outside tests: a file that cannot be loaded, a failed hook of the file, or
   * a failed hook of a suite that stopped no test, such as `afterAll`. The JUnit reporter of Vitest names it in the
   * same way.
   */
  #sendBroken(suite: TestModule | TestSuite, known: Module): void {
    const recording = this.#recording;
    const errors = suite.errors();
    if (!recording || errors.length === 0) return;
    recording.hasFailed = true;
    const name = suite.type === 'module' ? pathFrom(suite.project.config.root, suite.moduleId) : suite.name;
    recording.recorder.add(known.group, known.spec, {
      ...nextName(known, [replaceUnstableParts(name)]),
      state: 'failed',
      attempts: [{ state: 'failed', status: 'failed', duration: 0, errors: errors.map(errorOf) }],
    });
  }

  async onTestRunEnd(
    modules: readonly TestModule[],
    unhandledErrors: readonly SerializedError[],
    reason: TestRunEndReason,
  ): Promise<void> {
    const recording = this.#recording;
    if (!recording) return;
    try {
      // Vitest does not report the end of a module whose worker crashed.
      for (const module of modules) this.#endModule(module);
      const errors = this.#vitest?.config.dangerouslyIgnoreUnhandledErrors ? [] : unhandledErrors.map(unhandled);
      const failed = reason === 'interrupted' || errors.length > 0 || (reason === 'failed' && !recording.hasFailed);
      const recorded = await recording.recorder.end({ failed, errors });
      printRecorded(recorded, recording.settings.root);
      if (recording.settings.strict && recorded.isIncomplete) process.exitCode = 1;
    } catch (error) {
      report(error);
    } finally {
      process.off('exit', recording.onExit);
      this.#recording = undefined;
    }
  }
}

/** An error in this reporter must not fail the test run. */
function safely(action: () => void): void {
  try {
    action();
  } catch (error) {
    report(error);
  }
}

const report = (error: unknown): void =>
  console.error(
    `Rundown  the recording may be incomplete: ${makeVisible(String(error instanceof Error ? error.stack : error))}`,
  );

const appliesRules = ({ config }: TestProject): boolean =>
  config.setupFiles.some((path) => /[\\/]vitest-rules\.js$/.test(path));

function titleOf({ name, parent }: TestCase | TestSuite): string[] {
  return [...(parent.type === 'suite' ? titleOf(parent) : []), replaceUnstableParts(name)];
}

const countOf = (output: TestOutput | undefined): number => (output ? output.stdout.count + output.stderr.count : 0);

/**
 * Whether a test did not run or finish, although nobody skipped it: because of a failed hook, `bail`, or the end of the
 * test run.
 */
function isStopped(test: TestCase): boolean {
  const result = test.result();
  if (result.state === 'pending') return true;
  return result.state === 'skipped' && test.options.mode === 'run' && result.note === undefined && !skippedItself(test);
}

/** Vitest marks tests that call `context.skip()`, but only in a property that its types do not declare. */
const skippedItself = (test: TestCase): boolean =>
  memberOf(memberOf(memberOf(test, 'task'), 'result'), 'pending') === true;

const memberOf = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined);

/** The innermost suite around a test, or else its file, that has errors of its own, such as a failed hook. */
function brokenParent({ parent }: TestCase | TestSuite): TestModule | TestSuite | undefined {
  if (parent.errors().length > 0) return parent;
  return parent.type === 'suite' ? brokenParent(parent) : undefined;
}

function resultOf(test: TestCase, output: TestOutput | undefined): Omit<FinishedTest, keyof TestName> {
  const result = test.result();
  const { state } = result;
  const { annotations: ofRules = [], quarantined } = test.meta().rundown ?? {};
  const tags = normalizeTags([...(test.tags ?? []), ...tagsOfRules(ofRules)]);
  const own = annotationsOf(test).map(({ type, message }) => ({ type, description: message }));
  const annotations = [...own, ...ofRules];
  const { startTime = 0, duration = 0 } = test.diagnostic() ?? {};
  if (quarantined) {
    // The errors in `test.attempts()` include their places in the source files. Vitest has had `attempts` since 5.1.
    const errors = test.attempts?.().at(-1)?.errors ?? quarantined;
    const attempt: Attempt = {
      state: 'pending',
      status: 'skipped',
      startTime: Math.round(startTime),
      duration: Math.round(duration),
      errors: errors.map(errorOf),
      ...outputOf(output),
    };
    return { state: 'pending', expectedStatus: 'skipped', attempts: [attempt], annotations, tags };
  }
  if (isStopped(test)) {
    const errors = brokenParent(test)?.errors().map(errorOf);
    const isInterrupted = state === 'pending' && test.diagnostic() !== undefined;
    const attempt: Attempt = {
      state: 'skipped',
      status: isInterrupted ? 'interrupted' : 'skipped',
      duration: 0,
      errors,
      ...(isInterrupted ? outputOf(output) : {}),
    };
    return { state: 'skipped', attempts: [attempt], annotations, tags };
  }
  if (state === 'skipped' || state === 'pending') {
    // The test was skipped on purpose, by its options or by `context.skip()`.
    const type = test.options.mode === 'todo' ? 'todo' : 'skip';
    const description = result.state === 'skipped' ? result.note : undefined;
    return {
      state: 'pending',
      expectedStatus: 'skipped',
      attempts: [{ state: 'pending', status: 'skipped', duration: Math.round(duration) }],
      annotations: [...annotations, { type, description }],
      tags,
    };
  }
  const expectedStatus = test.options.fails ? 'failed' : 'passed';
  const attempts = attemptsOf(test, output);
  const fail = test.options.fails ? [{ type: 'fail' }] : [];
  return {
    state,
    isFlaky: state === 'passed' && attempts.length > 1 && attempts.some(({ status }) => status !== expectedStatus),
    expectedStatus,
    attempts,
    annotations: [...annotations, ...fail],
    tags,
  };
}

const outputOf = (output: TestOutput | undefined, from?: number, to?: number) => ({
  stdout: output?.stdout.between(from, to),
  stderr: output?.stderr.between(from, to),
});

interface Try {
  readonly state: 'passed' | 'failed';
  readonly errors: readonly SerializedError[];
  readonly startTime?: number | undefined;
  readonly duration: number;
}

function attemptsOf(test: TestCase, output: TestOutput | undefined): Attempt[] {
  const tries = triesOf(test);
  const areTimed = tries.every(({ startTime }) => startTime !== undefined);
  // Without times, the output belongs to the last failure, because that is where people look for it.
  const lastFailure = tries.findLastIndex(({ errors, state }) => errors.length > 0 || state === 'failed');
  const withOutput = lastFailure < 0 ? tries.length - 1 : lastFailure;
  return tries.map(({ state, errors, startTime, duration }, index) => {
    const isExpected = test.options.fails === true;
    const status = isExpected === (state === 'passed') ? 'failed' : 'passed';
    const from = index === 0 ? undefined : startTime;
    const own = areTimed ? outputOf(output, from, tries[index + 1]?.startTime) : outputOf(output);
    return {
      state: status,
      status,
      startTime: startTime === undefined ? undefined : Math.round(startTime),
      duration: Math.round(duration),
      errors: errors.map(errorOf),
      ...(areTimed || index === withOutput ? own : {}),
    };
  });
}

/**
 * Vitest 3 and 4 run a test that is expected to fail again until it does not throw. So all of its tries but the last one
 * failed as expected, and are no retries of a failure.
 */
const repeatsExpectedFailures = ({ options, project }: TestCase): boolean =>
  options.fails === true && Number.parseInt(project.vitest.version, 10) < 5;

/**
 * The tries of a test. Before 5.1, Vitest reports only the number of tries, all their errors without saying which try
 * had which error, and their total duration. The last try then gets the total duration, and the other tries get none.
 */
function triesOf(test: TestCase): Try[] {
  const result = test.result();
  const state = result.state === 'passed' ? 'passed' : 'failed';
  const { errors = [] } = result;
  const { startTime, duration = 0, retryCount = 0 } = test.diagnostic() ?? {};
  const told: ReturnType<TestCase['attempts']> = test.attempts?.() ?? [];
  if (told.length > 0) {
    // `repeats` runs a test again although it passed. Only the tries of one repetition are retries.
    const shown = (told.findLast((one) => one.state === state) ?? told[0])?.repeatIndex;
    return told
      .filter(({ repeatIndex, state: own }) => repeatIndex === shown && own !== 'skipped')
      .map((one) => ({
        state: one.state === 'passed' ? 'passed' : 'failed',
        errors: one.errors ?? [],
        startTime: one.startTime,
        duration: one.duration,
      }));
  }
  if (repeatsExpectedFailures(test)) {
    const last: Try = { state, errors: state === 'failed' ? errors.slice(-1) : errors, startTime, duration };
    const earlier: Try = { state: 'passed', errors: [], duration: 0 };
    // If the last try did not throw, the test failed because of it alone.
    return state === 'failed' ? [last] : [...Array.from({ length: retryCount }, () => earlier), last];
  }
  const failures = state === 'failed' ? retryCount + 1 : Math.max(1, retryCount);
  // Soft assertions give several errors in each try. Most tests fail in the same way each time, so the failed tries
  // get about the same number.
  const each = Math.max(1, Math.floor(errors.length / failures));
  return Array.from({ length: retryCount + 1 }, (_, index): Try => {
    const isLast = index === retryCount;
    return {
      state: isLast ? state : 'failed',
      errors: errors.slice(index * each, index === failures - 1 ? undefined : (index + 1) * each),
      duration: isLast ? duration : 0,
      ...(index === 0 ? { startTime } : {}),
    };
  });
}

const FRAME =
  /^ +at (?:(?<method>[^()]+) \()?(?:file:\/\/(?=\/))?(?<file>[^()]+):(?<line>\d{1,9}):(?<column>\d{1,9})\)?$/;

/** The stack frames of an error that are in files of the project. Vitest has parsed them (`stacks`) since 3.2. */
function framesOf({ stacks, stack = '' }: SerializedError) {
  const frames =
    stacks ??
    stack.split('\n').flatMap((text) => {
      const { method = '', file = '', line, column } = FRAME.exec(text)?.groups ?? {};
      return file === '' ? [] : { method, file, line: Number(line), column: Number(column) };
    });
  return frames.filter(({ file }) => !/^node:|[\\/]node_modules[\\/]/.test(file));
}

/** Messages are built like those of imported reports, so that the same error is recognized. */
function errorOf(error: SerializedError): TestError {
  const { name: type = '', message: sent, stack = '', diff } = error;
  const text = sent === undefined && stack === '' ? thrownText(error) : String(sent ?? '');
  const { message } = reportedError({ message: text, type, stack, spec: '' });
  const frames = framesOf(error);
  const lines = frames.map(({ method, file, line, column }) =>
    method === '' ? `    at ${file}:${line}:${column}` : `    at ${method} (${file}:${line}:${column})`,
  );
  const [first] = frames;
  return {
    message,
    stack: lines.length > 0 ? [message, ...lines].join('\n') : stack,
    snippet: typeof diff === 'string' && diff !== '' ? diff : undefined,
    location: first && { file: first.file, line: first.line, column: first.column },
  };
}

/** What a test threw that is no error, such as `{ code: 42 }`. Vitest adds members of its own. */
function thrownText(error: SerializedError): string {
  const own = Object.entries(error).filter(([name]) => !/^(?:stacks|constructor|VITEST_.*)$/.test(name));
  return inspect(Object.fromEntries(own));
}

/** The text of an error outside tests. Vitest adds its kind, such as `Unhandled Rejection`, and the test file. */
function unhandled(error: SerializedError): string {
  const { message = '' } = errorOf(error);
  const { type, VITEST_TEST_PATH: path } = error;
  return [typeof type === 'string' ? `${type}: ` : '', message, typeof path === 'string' ? ` (${path})` : ''].join('');
}

/** Vitest has had annotations since 3.2. */
const annotationsOf = (test: TestCase): readonly TestAnnotation[] => test.annotations?.() ?? [];

type Attached = readonly { readonly attachment: TestAttachment; readonly name: string }[];

/** Vitest has had artifacts since 4. */
function artifactsOf(test: TestCase): Attached {
  const screenshots = screenshotsIn(test);
  let comparisons = 0;
  return (test.artifacts?.() ?? []).flatMap((artifact): Attached => {
    const { type, attachments = [] } = artifact;
    if (artifact.type !== 'internal:toMatchScreenshot')
      return attachments.map((attachment) => ({ attachment, name: type }));
    const screenshot = screenshots[comparisons] ?? `screenshot-${comparisons + 1}`;
    comparisons += 1;
    // As in Playwright, so that pages show the pictures side by side.
    return artifact.attachments.map((attachment) => {
      const part = attachment.name === 'reference' ? 'expected' : attachment.name;
      return { attachment, name: `${screenshot}-${part}.${attachment.contentType?.split('/')[1] ?? 'png'}` };
    });
  });
}

/** The names of the screenshots that differ. Only the errors name them. */
const screenshotsIn = (test: TestCase): readonly string[] =>
  (test.result().errors ?? []).flatMap(({ message }) => {
    const lines = stripVTControlCharacters(String(message)).split('\n');
    const path = lines[lines.indexOf('Reference screenshot:') + 1]?.trim();
    return lines.includes('Reference screenshot:') && path ? parse(path.replaceAll('\\', '/')).name : [];
  });

function filesOf(test: TestCase, testId: string, attempt: number): TestFile[] {
  const attached = [
    ...annotationsOf(test).flatMap(({ attachment, message }) => (attachment ? { attachment, name: message } : [])),
    ...artifactsOf(test),
  ];
  return attached.flatMap(({ attachment, name }): TestFile[] => {
    const { path, body, contentType = 'application/octet-stream' } = attachment;
    const type = contentType.startsWith('image/') ? 'screenshot' : 'attachment';
    const file = { testId, attempt, type, name, contentType } as const;
    if (body !== undefined) {
      const isPlain = 'bodyEncoding' in attachment && attachment.bodyEncoding === 'utf-8';
      const bytes = typeof body === 'string' ? Buffer.from(body, isPlain ? 'utf8' : 'base64') : body;
      return [{ ...file, content: { bytes } }];
    }
    if (path === undefined || /^https?:/.test(path)) return [];
    const absolute = resolve(test.project.config.root, path);
    return [{ ...file, fileName: absolute.split(/[\\/]/).at(-1), content: { path: absolute } }];
  });
}
