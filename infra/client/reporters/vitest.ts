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
import { beginSession, type ReporterSession } from './begin.ts';
import type { Attempt, FinishedTest, TestError, TestFile } from './messages.ts';
import { printRecorded } from './print.ts';
import { OUTPUT_CHARACTERS, SPEC_OUTPUT_CHARACTERS } from './recorder.ts';
import { fetchProjectRules, listRuleTags, toGitInfo } from './rules-of-project.ts';
import { formatGroupName, formatSpecName, makeTestName, type TestName, toRelativePath } from './test-names.ts';
import type {} from './vitest-rules.ts';

/** An output with this number of texts is shortened, even if the texts are short. */
const MOST_CHUNKS = 20_000;

/** The last texts of an output. A test may write many megabytes. */
class Output {
  readonly #most: number;
  #chunks: { readonly time: number; readonly text: string }[] = [];
  #characters = 0;
  count = 0;

  constructor(most: number) {
    this.#most = most;
  }

  add(time: number, text: string): void {
    const tail = text.slice(-this.#most);
    this.#chunks.push({ time, text: tail });
    this.#characters += tail.length;
    this.count += 1;
    // The list is shortened only now and then, because shortening copies it.
    if (this.#characters < 2 * this.#most && this.#chunks.length < MOST_CHUNKS) return;
    const newestChunks = this.#chunks.splice(0).reverse();
    this.#characters = 0;
    for (const chunk of newestChunks) {
      if (this.#characters >= this.#most || this.#chunks.length >= MOST_CHUNKS / 2) break;
      this.#chunks.push(chunk);
      this.#characters += chunk.text.length;
    }
    this.#chunks.reverse();
  }

  /** What was written from `from` to before `to`, in epoch milliseconds: one text, or an empty list if nothing. */
  between(from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY): string[] {
    const texts = this.#chunks.filter(({ time }) => time >= from && time < to).map(({ text }) => text);
    return texts.length === 0 ? [] : [texts.join('').slice(-this.#most)];
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
interface Recording extends ReporterSession {
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
    runSafely(() => this.#begin(specifications));
    await this.#provideRules(specifications).catch(report);
  }

  async #provideRules(specifications: readonly TestSpecification[]): Promise<void> {
    const { settings } = this.#recording ?? {};
    const projects = new Set(specifications.map(({ project }) => project).filter(hasRulesSetup));
    if (!settings || projects.size === 0) return;
    const rules = await fetchProjectRules(settings);
    const root = this.#vitest?.config.root ?? '';
    for (const project of projects) project.provide('rundown', { rules, gitInfo: toGitInfo(settings), root });
  }

  #begin(specifications: readonly TestSpecification[]): void {
    const vitest = this.#vitest;
    if (!vitest || this.#isOff) return;
    const session = beginSession(this.#options, { type: 'vitest', version: vitest.version });
    this.#isOff = session === undefined || (vitest.config.watch && !session.settings.watch);
    if (!session || this.#isOff) return;
    const { recorder } = session;
    const projects = specifications.length > 0 ? specifications.map(({ project }) => project) : vitest.projects;
    const groups = new Set(projects.map(({ name }) => formatGroupName(name)));
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
    this.#recording = { ...session, outputs: new Map(), moduleOf: new Map(), onExit, hasFailed: false };
  }

  onTestModuleQueued(module: TestModule): void {
    runSafely(() => this.#module(module));
  }

  onTestModuleCollected(module: TestModule): void {
    runSafely(() => {
      const recording = this.#recording;
      const specFile = this.#module(module);
      if (!recording || !specFile) return;
      for (const suite of module.children.allSuites()) recording.moduleOf.set(suite.id, specFile);
      const tests = [...module.children.allTests()];
      const testIds = tests.map((test) => {
        recording.moduleOf.set(test.id, specFile);
        return this.#named(test, specFile).testId;
      });
      recording.recorder.expect(specFile.group, specFile.spec, testIds);
    });
  }

  #module({ id, moduleId, project }: TestModule): Module | undefined {
    const recording = this.#recording;
    if (!recording) return undefined;
    const root = this.#vitest?.config.root ?? '';
    const specFile =
      recording.moduleOf.get(id) ?? new Module(formatGroupName(project.name), formatSpecName(root, moduleId));
    recording.moduleOf.set(id, specFile);
    return specFile;
  }

  #named(test: TestCase, specFile: Module): TestName {
    const name = specFile.names.get(test.id) ?? makeTestName(specFile, listTitles(test));
    specFile.names.set(test.id, name);
    return name;
  }

  onUserConsoleLog({ taskId, type, content, time }: UserConsoleLog): void {
    runSafely(() => {
      if (!this.#recording || taskId === undefined) return;
      const { outputs, moduleOf } = this.#recording;
      const output = outputs.get(taskId) ?? new TestOutput();
      outputs.set(taskId, output);
      output[type].add(time, content);
      moduleOf.get(taskId)?.output.add(time, content);
    });
  }

  onTestCaseResult(test: TestCase): void {
    // Why a test did not run is known only when its module has ended.
    runSafely(() => {
      if (!isStopped(test)) this.#send(test);
    });
  }

  #send(test: TestCase): void {
    const recording = this.#recording;
    const specFile = this.#module(test.module);
    if (!recording || !specFile) return;
    const output = recording.outputs.get(test.id);
    specFile.sent.set(test.id, countTexts(output));
    const finishedTest = { ...this.#named(test, specFile), ...toTestResult(test, output) };
    recording.hasFailed ||= finishedTest.state === 'failed' || finishedTest.state === 'skipped';
    const files = listFiles(test, finishedTest.testId, finishedTest.attempts.length - 1);
    recording.recorder.add(specFile.group, specFile.spec, finishedTest, files);
  }

  onTestModuleEnd(module: TestModule): void {
    runSafely(() => this.#endModule(module));
  }

  #endModule(module: TestModule): void {
    const recording = this.#recording;
    const specFile = this.#module(module);
    if (!recording || !specFile || specFile.hasEnded) return;
    specFile.hasEnded = true;
    const tests = [...module.children.allTests()];
    for (const test of tests) {
      // The output of a test may arrive after its result.
      const { state } = test.result();
      const hasMore = state === 'failed' && specFile.sent.get(test.id) !== countTexts(recording.outputs.get(test.id));
      if (!specFile.sent.has(test.id) || hasMore) this.#send(test);
    }
    const brokenIds = new Set(tests.filter(isStopped).map((test) => findBrokenParent(test)?.id));
    for (const suite of module.children.allSuites()) if (!brokenIds.has(suite.id)) this.#sendBroken(suite, specFile);
    this.#sendBroken(module, specFile);
    recording.recorder.addOutput(specFile.group, specFile.spec, specFile.output.between().join(''));
  }

  /**
   * Records a failed test in place of errors outside tests: a file that cannot be loaded, a failed hook of the file, or
   * a failed hook of a suite that stopped no test, such as `afterAll`. The JUnit reporter of Vitest names it in the
   * same way.
   */
  #sendBroken(suite: TestModule | TestSuite, specFile: Module): void {
    const recording = this.#recording;
    const errors = suite.errors();
    if (!recording || errors.length === 0) return;
    recording.hasFailed = true;
    const name = suite.type === 'module' ? toRelativePath(suite.project.config.root, suite.moduleId) : suite.name;
    recording.recorder.add(specFile.group, specFile.spec, {
      ...makeTestName(specFile, [replaceUnstableParts(name)]),
      state: 'failed',
      attempts: [{ state: 'failed', status: 'failed', duration: 0, errors: errors.map(toTestError) }],
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
      const errors = this.#vitest?.config.dangerouslyIgnoreUnhandledErrors
        ? []
        : unhandledErrors.map(formatUnhandledError);
      const hasFailed = reason === 'interrupted' || errors.length > 0 || (reason === 'failed' && !recording.hasFailed);
      const result = await recording.recorder.end({ failed: hasFailed, errors });
      printRecorded(result, recording.settings.root);
      if (recording.settings.strict && result.isIncomplete) process.exitCode = 1;
    } catch (error) {
      report(error);
    } finally {
      process.off('exit', recording.onExit);
      this.#recording = undefined;
    }
  }
}

/** An error in this reporter must not fail the test run. */
function runSafely(action: () => void): void {
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

const hasRulesSetup = ({ config }: TestProject): boolean =>
  config.setupFiles.some((path) => /[\\/]vitest-rules\.js$/.test(path));

function listTitles({ name, parent }: TestCase | TestSuite): string[] {
  return [...(parent.type === 'suite' ? listTitles(parent) : []), replaceUnstableParts(name)];
}

const countTexts = (output: TestOutput | undefined): number => (output ? output.stdout.count + output.stderr.count : 0);

/** Did not run or finish although nobody skipped it: because of a failed hook, `bail`, or the end of the test run. */
function isStopped(test: TestCase): boolean {
  const result = test.result();
  if (result.state === 'pending') return true;
  return (
    result.state === 'skipped' && test.options.mode === 'run' && result.note === undefined && !hasSkippedItself(test)
  );
}

/** Vitest marks tests that call `context.skip()`, but only in a property that its types do not declare. */
const hasSkippedItself = (test: TestCase): boolean =>
  getMember(getMember(getMember(test, 'task'), 'result'), 'pending') === true;

const getMember = (value: unknown, name: string): unknown => (isObject(value) ? value[name] : undefined);

/** The innermost suite around a test, or else its file, that has errors of its own, such as a failed hook. */
function findBrokenParent({ parent }: TestCase | TestSuite): TestModule | TestSuite | undefined {
  if (parent.errors().length > 0) return parent;
  return parent.type === 'suite' ? findBrokenParent(parent) : undefined;
}

function toTestResult(test: TestCase, output: TestOutput | undefined): Omit<FinishedTest, keyof TestName> {
  const result = test.result();
  const { state } = result;
  const { annotations: ofRules = [], quarantined } = test.meta().rundown ?? {};
  const tags = normalizeTags([...(test.tags ?? []), ...listRuleTags(ofRules)]);
  const ownAnnotations = listAnnotations(test).map(({ type, message }) => ({ type, description: message }));
  const annotations = [...ownAnnotations, ...ofRules];
  const { startTime = 0, duration = 0 } = test.diagnostic() ?? {};
  if (quarantined) {
    // The errors in `test.attempts()` include their places in the source files. Vitest has had `attempts` since 5.1.
    const errors = test.attempts?.().at(-1)?.errors ?? quarantined;
    const attempt: Attempt = {
      state: 'pending',
      status: 'skipped',
      startTime: Math.round(startTime),
      duration: Math.round(duration),
      errors: errors.map(toTestError),
      ...getOutput(output),
    };
    return { state: 'pending', expectedStatus: 'skipped', attempts: [attempt], annotations, tags };
  }
  if (isStopped(test)) {
    const errors = findBrokenParent(test)?.errors().map(toTestError);
    const isInterrupted = state === 'pending' && test.diagnostic() !== undefined;
    const attempt: Attempt = {
      state: 'skipped',
      status: isInterrupted ? 'interrupted' : 'skipped',
      duration: 0,
      errors,
      ...(isInterrupted ? getOutput(output) : {}),
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
  const attempts = toAttempts(test, output);
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

const getOutput = (output: TestOutput | undefined, from?: number, to?: number) => ({
  stdout: output?.stdout.between(from, to),
  stderr: output?.stderr.between(from, to),
});

interface Try {
  readonly state: 'passed' | 'failed';
  readonly errors: readonly SerializedError[];
  readonly startTime?: number | undefined;
  readonly duration: number;
}

function toAttempts(test: TestCase, output: TestOutput | undefined): Attempt[] {
  const tries = listTries(test);
  const areTimed = tries.every(({ startTime }) => startTime !== undefined);
  // Without times, the output belongs to the last failure, because that is where people look for it.
  const lastFailure = tries.findLastIndex(({ errors, state }) => errors.length > 0 || state === 'failed');
  const withOutput = lastFailure < 0 ? tries.length - 1 : lastFailure;
  return tries.map(({ state, errors, startTime, duration }, index) => {
    const isExpected = test.options.fails === true;
    const status = isExpected === (state === 'passed') ? 'failed' : 'passed';
    const from = index === 0 ? undefined : startTime;
    const tryOutput = areTimed ? getOutput(output, from, tries[index + 1]?.startTime) : getOutput(output);
    return {
      state: status,
      status,
      startTime: startTime === undefined ? undefined : Math.round(startTime),
      duration: Math.round(duration),
      errors: errors.map(toTestError),
      ...(areTimed || index === withOutput ? tryOutput : {}),
    };
  });
}

/** Vitest 3 and 4 run such a test until it does not throw. All tries but the last failed as expected: no retries. */
const willRepeatExpectedFailures = ({ options, project }: TestCase): boolean =>
  options.fails === true && Number.parseInt(project.vitest.version, 10) < 5;

/**
 * The tries of a test. Before 5.1, Vitest reports only the number of tries, all their errors without saying which try
 * had which error, and their total duration. The last try then gets the total duration, and the other tries get none.
 */
function listTries(test: TestCase): Try[] {
  const result = test.result();
  const state = result.state === 'passed' ? 'passed' : 'failed';
  const { errors = [] } = result;
  const { startTime, duration = 0, retryCount = 0 } = test.diagnostic() ?? {};
  const vitestAttempts: ReturnType<TestCase['attempts']> = test.attempts?.() ?? [];
  if (vitestAttempts.length > 0) {
    // `repeats` runs a test again although it passed. Only the tries of one repetition are retries.
    const shownRepetition = (vitestAttempts.findLast((one) => one.state === state) ?? vitestAttempts[0])?.repeatIndex;
    return vitestAttempts
      .filter(({ repeatIndex, state: attemptState }) => repeatIndex === shownRepetition && attemptState !== 'skipped')
      .map((one) => ({
        state: one.state === 'passed' ? 'passed' : 'failed',
        errors: one.errors ?? [],
        startTime: one.startTime,
        duration: one.duration,
      }));
  }
  if (willRepeatExpectedFailures(test)) {
    const last: Try = { state, errors: state === 'failed' ? errors.slice(-1) : errors, startTime, duration };
    const expectedTry: Try = { state: 'passed', errors: [], duration: 0 };
    // If the last try did not throw, the test failed because of it alone.
    return state === 'failed' ? [last] : [...Array.from({ length: retryCount }, () => expectedTry), last];
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
function listFrames({ stacks, stack = '' }: SerializedError) {
  const frames =
    stacks ??
    stack.split('\n').flatMap((text) => {
      const { method = '', file = '', line, column } = FRAME.exec(text)?.groups ?? {};
      return file === '' ? [] : { method, file, line: Number(line), column: Number(column) };
    });
  return frames.filter(({ file }) => !/^node:|[\\/]node_modules[\\/]/.test(file));
}

/** Messages are built like those of imported reports, so that the same error is recognized. */
function toTestError(error: SerializedError): TestError {
  const { name: type = '', message: rawMessage, stack = '', diff } = error;
  const text = rawMessage === undefined && stack === '' ? formatThrownObject(error) : String(rawMessage ?? '');
  const { message } = reportedError({ message: text, type, stack, spec: '' });
  const frames = listFrames(error);
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
function formatThrownObject(error: SerializedError): string {
  const members = Object.entries(error).filter(([name]) => !/^(?:stacks|constructor|VITEST_.*)$/.test(name));
  return inspect(Object.fromEntries(members));
}

/** The text of an error outside tests. Vitest adds its kind, such as `Unhandled Rejection`, and the test file. */
function formatUnhandledError(error: SerializedError): string {
  const { message = '' } = toTestError(error);
  const { type, VITEST_TEST_PATH: path } = error;
  return [typeof type === 'string' ? `${type}: ` : '', message, typeof path === 'string' ? ` (${path})` : ''].join('');
}

/** Vitest has had annotations since 3.2. */
const listAnnotations = (test: TestCase): readonly TestAnnotation[] => test.annotations?.() ?? [];

type NamedAttachments = readonly { readonly attachment: TestAttachment; readonly name: string }[];

/** Vitest has had artifacts since 4. */
function listArtifacts(test: TestCase): NamedAttachments {
  const screenshots = listScreenshotNames(test);
  let comparisons = 0;
  return (test.artifacts?.() ?? []).flatMap((artifact): NamedAttachments => {
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
const listScreenshotNames = (test: TestCase): readonly string[] =>
  (test.result().errors ?? []).flatMap(({ message }) => {
    const lines = stripVTControlCharacters(String(message)).split('\n');
    const path = lines[lines.indexOf('Reference screenshot:') + 1]?.trim();
    return lines.includes('Reference screenshot:') && path ? parse(path.replaceAll('\\', '/')).name : [];
  });

function listFiles(test: TestCase, testId: string, attempt: number): TestFile[] {
  const attachments = [
    ...listAnnotations(test).flatMap(({ attachment, message }) => (attachment ? { attachment, name: message } : [])),
    ...listArtifacts(test),
  ];
  return attachments.flatMap(({ attachment, name }): TestFile[] => {
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
