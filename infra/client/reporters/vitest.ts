/** The reporter for Vitest 3 and newer: `reporters: ['default', 'rundown-cli/vitest']`. */
import type { SerializedError, UserConsoleLog } from 'vitest';
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
import type { Copies } from '#shared/reports/names.ts';
import { DEFAULT_GROUP, replaceUnstableParts } from '#shared/reports/paths.ts';
import type { ReporterOptions } from '../package/reporter.d.ts';
import { beginSession, type ReporterSession } from './begin.ts';
import { printRecorded } from './print.ts';
import { SPEC_OUTPUT_CHARACTERS } from './recorder.ts';
import { fetchProjectRules, toGitInfo } from './rules-of-project.ts';
import { formatGroupName, formatSpecName, makeTestName, type TestName, toRelativePath } from './test-names.ts';
import { formatUnhandledError, toTestError } from './vitest-errors.ts';
import { listFiles } from './vitest-files.ts';
import { Output, TestOutput } from './vitest-output.ts';
import { findBrokenParent, isStopped, toTestResult } from './vitest-results.ts';
import type {} from './vitest-rules.ts';

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
    const specFiles = new Set(specifications.map(({ project, moduleId }) => JSON.stringify([project.name, moduleId])));
    // Vitest finds the tests of a spec file only when it loads the file.
    recorder.begin(
      [...(groups.size > 0 ? groups : [DEFAULT_GROUP])].map((name) => ({ name, tests: [] })),
      { shards: vitest.config.shard?.count, specFiles: specFiles.size, stopTests: () => cancel(vitest) },
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

/** Tests end as if a person had stopped the run by a key. A job that was cancelled must not seem to pass. */
function cancel(vitest: Vitest): void {
  process.exitCode = 1;
  vitest.cancelCurrentRun('keyboard-input').catch(report);
}

const hasRulesSetup = ({ config }: TestProject): boolean =>
  config.setupFiles.some((path) => /[\\/]vitest-rules\.js$/.test(path));

function listTitles({ name, parent }: TestCase | TestSuite): string[] {
  return [...(parent.type === 'suite' ? listTitles(parent) : []), replaceUnstableParts(name)];
}

const countTexts = (output: TestOutput | undefined): number => (output ? output.stdout.count + output.stderr.count : 0);
