/** The reporter for Jest: `reporters: ['default', 'rundown-cli/jest']`. */

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { makeVisibleLine } from '#shared/engine/plain-text.ts';
import { BROKEN_FILE } from '#shared/model/results/broken-file.ts';
import { normalizeId, normalizeSpec } from '#shared/model/short-names.ts';
import { DEFAULT_GROUP, toSpecPath } from '#shared/reports/paths.ts';
import type { ReporterOptions } from '../package/reporter.d.ts';
import { beginSession, type ReporterSession } from './begin.ts';
import { getTestKey, listStableTitles, OUTCOMES, toAttempts, toTestError } from './jest-attempts.ts';
import type { CaseResult, CaseStart, FileResult, GlobalConfig, RunResults, Test, ThrownError } from './jest-types.ts';
import type { FinishedTest } from './messages.ts';
import { printRecorded } from './print.ts';
import type { RecordingResult } from './recording-result.ts';
import { sendAtExit } from './send-at-exit.ts';
import { type TestName, TestNames } from './test-names.ts';

/** A spec file that is running, with what is known about its tests so far. */
interface RunningFile {
  readonly group: string;
  readonly spec: string;
  /** Another project runs the same file now. Jest names no project in events, so both wait for their files. */
  isShared: boolean;
  /** The finished runs of each test so far, by the key of the test (`getTestKey`). */
  readonly seen: Map<string, CaseResult[]>;
  readonly starts: Map<string, CaseStart>;
  /** The names of the passed tests that were recorded before the file ended, by the key of the test. */
  readonly recorded: Map<string, TestName>;
}

/** The title of a file that cannot be run, as in the reports of jest-junit. */

const ENDED_BEFORE = 'The process of the spec file ended before the test';

export default class RundownReporter {
  readonly #config: GlobalConfig;
  readonly #options: ReporterOptions;
  #session: ReporterSession | undefined;
  #groups = new Set<string>();
  #specFiles: number | undefined;
  #names = new TestNames();
  /** By path, then by group. */
  #running = new Map<string, Map<string, RunningFile>>();
  #forgetExit: (() => void) | undefined;
  #recorded: RecordingResult | undefined;

  constructor(config: GlobalConfig, options: ReporterOptions = {}) {
    this.#config = config;
    this.#options = options;
  }

  /** In watch mode, each run is a recording of its own. */
  onRunStart({ numTotalTestSuites }: Pick<RunResults, 'numTotalTestSuites'>): void {
    this.#runSafely(() => {
      this.#specFiles = numTotalTestSuites;
      const { watch, watchAll, rootDir } = this.#config;
      this.#recorded = undefined;
      this.#groups = new Set();
      this.#names = new TestNames();
      this.#running = new Map();
      const session = beginSession(this.#options, { type: 'jest', version: readJestVersion(rootDir) });
      this.#session = session && (watch || watchAll) && !session.settings.watch ? undefined : session;
    });
  }

  onTestFileStart(test: Test): void {
    this.#runSafely(() => void this.#fileOf(test));
  }

  onTestCaseStart({ path }: Test, start: CaseStart): void {
    this.#runSafely(() => this.#fileOfEvent(path)?.starts.set(getTestKey(start), start));
  }

  /** Passed tests are recorded at once, for progress. Failed ones wait for the file: Jest does not announce retries. */
  onTestCaseResult({ path }: Test, result: CaseResult): void {
    this.#runSafely(() => {
      const file = this.#fileOfEvent(path);
      if (!file) return;
      const key = getTestKey(result);
      const earlierResults = file.seen.get(key) ?? [];
      file.seen.set(key, [...earlierResults, result]);
      // Another test with the same names gets a number, which is known only when the whole file has ended.
      if (earlierResults.length > 0 || result.status !== 'passed' || result.failing) return;
      const name = this.#nameOf(file, result);
      file.recorded.set(key, name);
      this.#add(file, name, result, [result]);
    });
  }

  onTestFileResult(test: Test, result: FileResult): void {
    this.#runSafely(() => {
      const file = this.#fileOf(test);
      if (!file) return;
      this.#running.get(test.path)?.delete(file.group);
      const { testResults, testExecError, failureMessage } = result;
      const copies = new Map<string, number>();
      for (const one of testResults) {
        const key = getTestKey(one);
        const copy = copies.get(key) ?? 0;
        copies.set(key, copy + 1);
        const recordedName = copy === 0 ? file.recorded.get(key) : undefined;
        if (recordedName && one.status === 'passed') continue;
        this.#add(file, recordedName ?? this.#nameOf(file, one), one, file.seen.get(key) ?? []);
      }
      if (testResults.length === 0) this.#addUnfinished(file, ENDED_BEFORE);
      const isBroken = testExecError !== undefined || (testResults.length === 0 && Boolean(failureMessage));
      if (isBroken) this.#addBroken(file, testExecError ?? { message: failureMessage ?? '' });
      // Jest keeps the output of a whole file, not that of each test.
      const output = (result.console ?? []).map(({ message }) => `${message}\n`).join('');
      this.#session?.recorder.addOutput(file.group, file.spec, output);
      this.#session?.recorder.endOfFile(file.group, file.spec);
    });
  }

  async onRunComplete(_contexts: unknown, results: RunResults): Promise<void> {
    const session = this.#session;
    if (!session) return;
    try {
      this.#begin(DEFAULT_GROUP, true);
      const { shard, passWithNoTests, bail = 0, forceExit } = this.#config;
      const { numTotalTestSuites, numFailedTests, runExecError, wasInterrupted } = results;
      const isEmpty = numTotalTestSuites === 0 && !passWithNoTests && !shard;
      const errors = [
        ...(wasInterrupted ? [INTERRUPTED] : []),
        ...(runExecError ? [runExecError.message || runExecError.stack || 'Jest could not run the tests'] : []),
        ...(isEmpty ? ['No tests were found'] : []),
      ];
      for (const file of this.#runningFiles()) this.#addUnfinished(file, INTERRUPTED);
      this.#recorded = await session.recorder.end({ failed: errors.length > 0, errors });
      this.#forgetExit?.();
      // With `forceExit`, or if `bail` ends the run, Jest silences the output and exits when the reporters are done.
      const exitsAtOnce = forceExit || (bail > 0 && numFailedTests >= bail);
      if (exitsAtOnce) printRecorded(this.#recorded, session.settings.root);
      else printLast(this.#recorded, session.settings.root);
    } catch (error) {
      this.#giveUp(error);
    }
  }

  /** Jest fails if this returns an error. */
  getLastError(): Error | undefined {
    const isLost = this.#session?.settings.strict && this.#recorded?.isIncomplete;
    return isLost ? new Error('Rundown did not record all results') : undefined;
  }

  /** An error in the reporter must not fail the test run. */
  #runSafely(work: () => void): void {
    try {
      work();
    } catch (error) {
      this.#giveUp(error);
    }
  }

  #giveUp(error: unknown): void {
    if (this.#session) console.error(`Rundown  the recording is incomplete: ${makeVisibleLine(String(error))}`);
    this.#session = undefined;
  }

  /** The recording begins with the first spec file, because Jest does not name the projects earlier. */
  #begin(group: string, isOver = false): void {
    const session = this.#session;
    if (!session || this.#groups.has(group)) return;
    if (this.#groups.size > 0) {
      if (!isOver) session.recorder.addGroup({ name: group, tests: [] });
    } else {
      const facts = { shards: this.#config.shard?.shardCount, specFiles: this.#specFiles };
      session.recorder.begin([{ name: group, tests: [] }], facts);
      this.#forgetExit = sendAtExit(session.settings, () => this.#stop(session), { handlesSignals: true });
    }
    this.#groups.add(group);
  }

  #stop({ recorder }: ReporterSession): string | undefined {
    for (const file of this.#runningFiles()) this.#addUnfinished(file, STOPPED);
    return recorder.stop({ failed: true, errors: [STOPPED] });
  }

  #fileOf({ path, context }: Test): RunningFile | undefined {
    if (!this.#session) return undefined;
    const { displayName } = context.config;
    const name = typeof displayName === 'string' ? displayName : displayName?.name;
    const group = normalizeId(name || DEFAULT_GROUP);
    this.#begin(group);
    const ofPath = this.#running.get(path) ?? new Map<string, RunningFile>();
    this.#running.set(path, ofPath);
    const runningFile = ofPath.get(group);
    if (runningFile) return runningFile;
    const spec = normalizeSpec(toSpecPath(path, this.#session.settings.root));
    const file = { group, spec, isShared: false, seen: new Map(), starts: new Map(), recorded: new Map() };
    ofPath.set(group, file);
    if (ofPath.size > 1) for (const one of ofPath.values()) one.isShared = true;
    return file;
  }

  /** Only the path tells the file of an event: the event comes with the project that Jest ran first. */
  #fileOfEvent(path: string): RunningFile | undefined {
    const [file] = this.#running.get(path)?.values() ?? [];
    return file?.isShared ? undefined : file;
  }

  #runningFiles = (): RunningFile[] => [...this.#running.values()].flatMap((ofPath) => [...ofPath.values()]);

  /** After the end of the process or the run: failed tests that waited for the file, and tests without a result. */
  #addUnfinished(file: RunningFile, reason: string): void {
    for (const [key, results] of file.seen) {
      const last = results.at(-1);
      if (last && !file.recorded.has(key)) this.#add(file, this.#nameOf(file, last), last, results);
    }
    for (const [key, start] of file.starts) {
      if (file.seen.has(key)) continue;
      const startTime = start.startedAt ?? undefined;
      const errors = [{ message: reason }];
      this.#send(file, this.#nameOf(file, start), {
        state: 'skipped',
        attempts: [{ state: 'skipped', status: 'skipped', startTime, duration: 0, errors }],
      });
    }
  }

  #nameOf = ({ group, spec }: RunningFile, test: CaseStart): TestName =>
    this.#names.next(group, spec, listStableTitles(test));

  #add(file: RunningFile, name: TestName, result: CaseResult, runs: readonly CaseResult[]): void {
    const { status, failing = false } = result;
    const state = OUTCOMES.get(status) ?? 'pending';
    const startedAt = file.starts.get(getTestKey(result))?.startedAt;
    const attempts = toAttempts(result, { runs, spec: file.spec, startedAt });
    const isExpected = failing && state === 'passed';
    this.#send(file, name, {
      state,
      isFlaky: state === 'passed' && attempts.length > 1,
      attempts: isExpected ? attempts.map((one) => ({ ...one, state: 'failed', status: 'failed' })) : attempts,
      expectedStatus: failing ? 'failed' : state === 'pending' ? 'skipped' : 'passed',
      annotations: [
        ...(failing ? [{ type: 'fail' }] : []),
        ...(state === 'pending' ? [{ type: status === 'todo' ? 'todo' : 'skip' }] : []),
      ],
    });
  }

  #send({ group, spec }: RunningFile, name: TestName, result: Omit<FinishedTest, keyof TestName>): void {
    this.#session?.recorder.add(group, spec, { ...name, ...result });
  }

  /** A file with an error outside its tests, such as a syntax error or a failed hook. */
  #addBroken(file: RunningFile, { message = '', stack = '' }: ThrownError): void {
    const errors = [toTestError({ message, stack, spec: file.spec })];
    this.#send(file, this.#names.next(file.group, file.spec, [BROKEN_FILE.jest]), {
      state: 'failed',
      attempts: [{ state: 'failed', status: 'failed', duration: 0, errors }],
    });
  }
}

/** Prints after Jest's summary, which is printed by a reporter that Jest adds after all others. */
function printLast(result: RecordingResult, root: string): void {
  const print = () => {
    process.off('exit', print);
    clearImmediate(immediate);
    printRecorded(result, root);
  };
  const immediate = setImmediate(print);
  process.once('exit', print);
}

const STOPPED = 'The test process ended before its tests';
const INTERRUPTED = 'The test run was interrupted';

/** The version of Jest, which reporters are not told. */
function readJestVersion(rootDir: string): string {
  for (const name of ['jest', '@jest/core']) {
    try {
      const { version }: { readonly version?: unknown } = createRequire(join(rootDir, 'package.json'))(
        `${name}/package.json`,
      );
      if (typeof version === 'string') return version;
    } catch {
      // The package may be elsewhere, because package managers arrange `node_modules` differently.
    }
  }
  return '';
}
