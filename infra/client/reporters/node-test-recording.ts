/** Records the events of node:test: when a test has a result, and what its process printed. */
import { fileURLToPath } from 'node:url';
import { normalizeSpec } from '#shared/model/short-names.ts';
import { KeptEnd } from '#shared/reports/kept-text.ts';
import { cleanTitle, DEFAULT_GROUP, normalizeRoot, replaceUnstableParts, toSpecPath } from '#shared/reports/paths.ts';
import { normalizeTags } from '#shared/reports/tags.ts';
import type { ReporterSession } from './begin.ts';
import { makeFileError, toTestErrors } from './node-test-errors.ts';
import {
  type EventData,
  getFailureType,
  getProcessFile,
  isFiltered,
  isOfFile,
  type TestEvent,
} from './node-test-events.ts';
import { type SettledTests, TestFrames } from './node-test-frames.ts';
import { type LostTest, OpenTests } from './node-test-open-tests.ts';
import { buildLostResult, buildProcessResult, buildTestResult, type TestResult } from './node-test-results.ts';
import { printRecorded } from './print.ts';
import { SPEC_OUTPUT_CHARACTERS } from './recorder.ts';
import { sendAtExit } from './send-at-exit.ts';
import type { SpoolEnd } from './spool.ts';
import { TestNames } from './test-names.ts';

/** A test file, which Node runs in a process of its own. */
class FileProcess {
  readonly output = new KeptEnd(SPEC_OUTPUT_CHARACTERS);
  readonly stderr = new KeptEnd(STDERR_CHARACTERS);
  hasUnsentOutput = false;
  /** The announced tests without a result. */
  readonly openTests = new OpenTests();
}

/** The test file whose results Node is reporting. */
interface CurrentFile {
  /** The path of the file that the process runs. */
  readonly path: string;
  /** The file that defines the latest test. It may be a helper of the test file. */
  readonly spec: string;
}

const STDERR_CHARACTERS = 8192;

const INTERRUPTED = 'The test run was interrupted';
const LATE_ERROR = /generated asynchronous activity after the test ended/;
const THRESHOLD = /^Error: .* does not meet threshold/;

export class NodeTestRecording {
  readonly #session: ReporterSession;
  readonly #names = new TestNames();
  /** By the path of the test file. */
  readonly #processes = new Map<string, FileProcess>();
  readonly #frames = new TestFrames();
  readonly #errors: string[] = [];
  readonly #lateErrors: string[] = [];
  readonly #forgetExit: () => void;
  #current: CurrentFile | undefined;
  #hasTests = false;
  #hasFailed = false;
  #isInterrupted = false;
  #reportsCompletion = false;
  #hasBegun = false;
  readonly #announcedFiles = new Set<string>();

  constructor(session: ReporterSession) {
    this.#session = session;
    // Node announces all test files at once. The recording begins when it has.
    setImmediate(() => this.#begin());
    this.#forgetExit = sendAtExit(session.settings, () => session.recorder.stop(this.#finish()));
  }

  #begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    const facts = { shards: parseShardCount(process.execArgv), specFiles: this.#announcedFiles.size };
    this.#session.recorder.begin([{ name: DEFAULT_GROUP, tests: [] }], facts);
  }

  take({ type, data = {} }: TestEvent): void {
    if (type === 'test:enqueue') this.#announceTest(data);
    else if (type === 'test:dequeue') this.#findOpenTests(data)?.start(data);
    else if (type === 'test:complete') this.#completeTest(data);
    else if (type === 'test:start') this.#frames.open(data);
    else if (type === 'test:pass' || type === 'test:fail') this.#takeEnding(data, type === 'test:pass');
    else if (type === 'test:stdout' || type === 'test:stderr') this.#keepOutput(data, type);
    else if (type === 'test:diagnostic') this.#takeDiagnostic(data);
    else if (type === 'test:interrupted') this.#isInterrupted = true;
    // The summary without a file is that of the whole run, which may also fail because of its coverage.
    else if (type === 'test:summary' && data.file === undefined && data.success === false) this.#hasFailed = true;
  }

  /** Ends the recording. Returns what to print. */
  async end(): Promise<string> {
    const { recorder, settings } = this.#session;
    const result = await recorder.end(this.#finish());
    this.#forgetExit();
    if (settings.strict && result.isIncomplete) process.exitCode = 1;
    const lines: string[] = [];
    printRecorded(result, settings.root, (line) => lines.push(`${line}\n`));
    return lines.join('');
  }

  /** Records what has no result yet. Returns how the run ended. */
  #finish(): SpoolEnd {
    this.#begin();
    this.#recordTests({ tests: this.#frames.endAll() });
    for (const [path, { openTests }] of this.#processes) {
      for (const test of openTests.takeAll()) this.#recordLostTest(path, test);
      this.#endFile({ path, spec: this.#toSpec(path) });
    }
    if (this.#isInterrupted) this.#errors.unshift(INTERRUPTED);
    else if (!this.#hasTests) this.#errors.unshift('No tests were found');
    return { failed: this.#errors.length > 0 || this.#hasFailed, errors: this.#errors };
  }

  // Announcements, in the order in which tests run. Tests of several files may run at the same time.

  #announceTest(data: EventData): void {
    if (isOfFile(data)) {
      this.#announcedFiles.add(getProcessFile(data));
      return;
    }
    this.#openProcess(data).openTests.announce(data, this.#reportsCompletion);
  }

  #completeTest(data: EventData): void {
    this.#reportsCompletion = true;
    // The process has ended. If several files run at once, Node may not have reported its results yet.
    if (isOfFile(data) && this.#current?.path === getProcessFile(data)) this.#endFile(this.#current);
    this.#findOpenTests(data)?.complete(data);
  }

  #findOpenTests(data: EventData): OpenTests | undefined {
    return this.#processes.get(getProcessFile(data))?.openTests;
  }

  // Results, in the order in which the tests are defined. The files follow one another.

  #takeEnding(data: EventData, isPassed: boolean): void {
    const { file = '' } = data;
    const path = getProcessFile(data);
    const spec = this.#toSpec(file);
    // Node reports one file after another, so the previous file has ended.
    if (this.#current && this.#current.path !== path) this.#endFile(this.#current);
    this.#current = { path, spec };
    if (isOfFile(data)) {
      this.#takeEndOfProcess(data, isPassed);
      return;
    }
    const startedAt = this.#findOpenTests(data)?.take(data)?.startedAt;
    for (const settledTests of this.#frames.end({ spec, data, isPassed, startedAt })) this.#recordTests(settledTests);
  }

  /** Node reports the end of a process if it failed, or if it had no tests. */
  #takeEndOfProcess(data: EventData, isPassed: boolean): void {
    const { file = '' } = data;
    const lateErrors = this.#lateErrors.splice(0);
    const failureType = getFailureType(data);
    if (failureType === 'subtestsFailed') return;
    if (failureType === 'cancelledByParent') {
      this.#isInterrupted = true;
      return;
    }
    const spec = this.#toSpec(file);
    const { output, stderr } = this.#openProcess(data);
    const errors =
      failureType === 'hookFailed' ? toTestErrors(data, spec) : [makeFileError(data, spec, lateErrors, stderr.text)];
    const result = buildProcessResult(data, isPassed ? undefined : { errors, output: output.text });
    this.#record(spec, [toSpecPath(file, normalizeRoot(process.cwd()))], result);
  }

  #recordTests({ tests, errors }: SettledTests): void {
    for (const test of tests) {
      if (!isFiltered(test.data)) this.#record(test.spec, test.names, buildTestResult(test, errors));
    }
  }

  /** Records a test without a result, because its process ended. */
  #recordLostTest(path: string, test: LostTest): void {
    const reason = this.#isInterrupted ? INTERRUPTED : `The process of ${this.#toSpec(path)} ended before the test`;
    this.#record(this.#toSpec(test.data.file ?? path), test.names, buildLostResult(test, reason));
  }

  #record(spec: string, names: readonly string[], { tags = [], ...result }: TestResult): void {
    this.#begin();
    const stableNames = names.map((name) => replaceUnstableParts(cleanTitle(name)));
    const name = this.#names.next(DEFAULT_GROUP, spec, stableNames);
    this.#hasTests = true;
    this.#session.recorder.add(DEFAULT_GROUP, spec, { ...name, tags: normalizeTags(tags), ...result });
  }

  #endFile({ path, spec }: CurrentFile): void {
    this.#session.recorder.endOfFile(DEFAULT_GROUP, spec);
    const fileProcess = this.#processes.get(path);
    if (!fileProcess?.hasUnsentOutput) return;
    fileProcess.hasUnsentOutput = false;
    this.#session.recorder.addOutput(DEFAULT_GROUP, this.#toSpec(path), fileProcess.output.text);
  }

  // What processes print, and what Node says about them.

  #keepOutput(data: EventData, type: string): void {
    const { message = '' } = data;
    const fileProcess = this.#openProcess(data);
    fileProcess.output.add(message);
    fileProcess.hasUnsentOutput = true;
    if (type === 'test:stderr') fileProcess.stderr.add(message);
  }

  #takeDiagnostic({ message = '' }: EventData): void {
    if (LATE_ERROR.test(message)) this.#lateErrors.push(message.replace(/^(?:Error|Warning): /, ''));
    if (THRESHOLD.test(message)) this.#errors.push(message);
  }

  /** The process that an event is about, which may be the first event of it. */
  #openProcess(data: EventData): FileProcess {
    const path = getProcessFile(data);
    const fileProcess = this.#processes.get(path) ?? new FileProcess();
    this.#processes.set(path, fileProcess);
    return fileProcess;
  }

  #toSpec(path: string): string {
    const filePath = path.startsWith('file:') ? fileURLToPath(path) : path;
    return normalizeSpec(toSpecPath(filePath, this.#session.settings.root));
  }
}

/** The number of shards, from `--test-shard=1/3`. */
function parseShardCount(args: readonly string[]): number | undefined {
  const at = args.findIndex((arg) => arg.startsWith('--test-shard'));
  const text = args[at]?.includes('=') ? args[at] : args[at + 1];
  const count = at < 0 ? Number.NaN : Number(text?.split('/')[1]);
  return Number.isInteger(count) && count > 0 ? count : undefined;
}
