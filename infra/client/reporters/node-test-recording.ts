/** Turns the events of node:test into results. */
import { fileURLToPath } from 'node:url';
import { normalizeSpec } from '#shared/model/short-names.ts';
import { KeptEnd } from '#shared/reports/kept-text.ts';
import { cleanTitle, DEFAULT_GROUP, normalizeRoot, replaceUnstableParts, toSpecPath } from '#shared/reports/paths.ts';
import { normalizeTags } from '#shared/reports/tags.ts';
import type { ReporterSession } from './begin.ts';
import type { FinishedTest, TestError } from './messages.ts';
import { makeFileError, toTestErrors } from './node-test-errors.ts';
import {
  deriveEnding,
  type EventData,
  getFailureType,
  getProcessFile,
  isFiltered,
  isOfFile,
  listAnnotations,
  type TestEvent,
} from './node-test-events.ts';
import { type LostTest, OpenTests } from './node-test-open-tests.ts';
import { printRecorded } from './print.ts';
import { SPEC_OUTPUT_CHARACTERS } from './recorder.ts';
import { sendAtExit } from './send-at-exit.ts';
import type { SpoolEnd } from './spool.ts';
import { type TestName, TestNames } from './test-names.ts';

/** A test or suite that Node has started to report (`test:start`). The events of its subtests follow. */
interface Frame {
  readonly name: string;
  hasChildren: boolean;
  /** Subtests that were cancelled, until it is known whether a failed hook around them is the reason. */
  readonly cancelled: EndedTest[];
}

class File {
  readonly output = new KeptEnd(SPEC_OUTPUT_CHARACTERS);
  readonly stderr = new KeptEnd(STDERR_CHARACTERS);
  hasUnsentOutput = false;
  /** The announced tests without a result. */
  readonly open = new OpenTests();
}

interface EndedTest {
  readonly spec: string;
  readonly names: readonly string[];
  readonly data: EventData;
  readonly isPassed: boolean;
  readonly startedAt: number | undefined;
}

const STDERR_CHARACTERS = 8192;

const INTERRUPTED = 'The test run was interrupted';
const LATE_ERROR = /generated asynchronous activity after the test ended/;
const THRESHOLD = /^Error: .* does not meet threshold/;

export class NodeTestRecording {
  readonly #session: ReporterSession;
  readonly #names = new TestNames();
  readonly #files = new Map<string, File>();
  readonly #frames: Frame[] = [];
  readonly #errors: string[] = [];
  readonly #lateErrors: string[] = [];
  readonly #forgetExit: () => void;
  #current: { readonly process: string; readonly spec: string } | undefined;
  #hasTests = false;
  #hasFailed = false;
  #isInterrupted = false;
  #reportsCompletion = false;

  constructor(session: ReporterSession) {
    this.#session = session;
    session.recorder.begin([{ name: DEFAULT_GROUP, tests: [] }], { shards: parseShardCount(process.execArgv) });
    this.#forgetExit = sendAtExit(session.settings, () => session.recorder.stop(this.#finish()));
  }

  take({ type, data = {} }: TestEvent): void {
    if (type === 'test:enqueue') this.#announce(data);
    else if (type === 'test:dequeue') this.#openTestsOf(data)?.start(data);
    else if (type === 'test:complete') this.#completed(data);
    else if (type === 'test:start') this.#open(data);
    else if (type === 'test:pass' || type === 'test:fail') this.#ended(data, type === 'test:pass');
    else if (type === 'test:stdout' || type === 'test:stderr') this.#print(data, type);
    else if (type === 'test:diagnostic') this.#diagnose(data);
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
    for (const frame of this.#frames.splice(0)) this.#addAll(frame.cancelled);
    for (const [path, { open }] of this.#files) {
      for (const test of open.takeAll()) this.#addLost(path, test);
      this.#endFile({ process: path, spec: this.#specOf(path) });
    }
    if (this.#isInterrupted) this.#errors.unshift(INTERRUPTED);
    else if (!this.#hasTests) this.#errors.unshift('No tests were found');
    return { failed: this.#errors.length > 0 || this.#hasFailed, errors: this.#errors };
  }

  #announce(data: EventData): void {
    if (isOfFile(data)) return;
    this.#fileOf(getProcessFile(data)).open.announce(data, this.#reportsCompletion);
  }

  #completed(data: EventData): void {
    this.#reportsCompletion = true;
    this.#openTestsOf(data)?.complete(data);
  }

  #openTestsOf(data: EventData): OpenTests | undefined {
    return this.#files.get(getProcessFile(data))?.open;
  }

  /** A test without a result, because its process ended. */
  #addLost(path: string, { names, data, startedAt }: LostTest): void {
    const reason = `The process of ${this.#specOf(path)} ended before the test`;
    const error = { message: this.#isInterrupted ? INTERRUPTED : reason };
    this.#add(this.#specOf(data.file ?? path), names, {
      state: 'skipped',
      attempts: [{ state: 'skipped', status: 'skipped', startTime: startedAt, duration: 0, errors: [error] }],
      tags: data.tags,
    });
  }

  // Results, in the order in which the tests are defined. The files follow one another.

  #open({ nesting = 0, name = '' }: EventData): void {
    const parent = this.#frames[nesting - 1];
    if (parent) parent.hasChildren = true;
    this.#frames.length = Math.min(this.#frames.length, nesting);
    this.#frames.push({ name, hasChildren: false, cancelled: [] });
  }

  #ended(data: EventData, isPassed: boolean): void {
    const path = getProcessFile(data);
    // Node reports one file after another, so the previous file has ended.
    if (this.#current && this.#current.process !== path) this.#endFile(this.#current);
    this.#current = { process: path, spec: this.#specOf(data.file ?? '') };
    if (isOfFile(data)) this.#fileEnded(data, isPassed);
    else this.#testEnded(data, isPassed);
  }

  #testEnded(data: EventData, isPassed: boolean): void {
    const { nesting = 0, name = '', file = '' } = data;
    const startedAt = this.#openTestsOf(data)?.take(data)?.startedAt;
    const frame = this.#frames[nesting];
    const above = this.#frames.slice(0, nesting);
    this.#frames.length = Math.min(this.#frames.length, nesting);
    const names = [...above.map((one) => one.name), name];
    const endedTest = { spec: this.#specOf(file), names, data, isPassed, startedAt };
    const parent = above.at(-1);
    if (frame?.hasChildren || data.details?.type === 'suite') this.#containerEnded(endedTest, frame, parent);
    else if (getFailureType(data) === 'cancelledByParent') this.#cancel([endedTest], parent);
    else this.#addAll([endedTest]);
  }

  /** Records suites and tests with subtests only if they fail on their own, or are skipped or todo as a whole. */
  #containerEnded(endedTest: EndedTest, frame: Frame | undefined, parent: Frame | undefined): void {
    const { data, isPassed, spec } = endedTest;
    const { cancelled = [], hasChildren = false } = frame ?? {};
    const failureType = getFailureType(data);
    if (!isPassed && failureType === 'cancelledByParent') this.#cancel(cancelled, parent);
    else if (isPassed || failureType === 'subtestsFailed') this.#addAll(cancelled);
    // A hook that fails before its tests cancels them. They get its error.
    else if (cancelled.length > 0) this.#addAll(cancelled, toTestErrors(data, spec));
    else this.#addAll([endedTest]);
    if (isPassed && !hasChildren && (data.skip || data.todo)) this.#addAll([endedTest]);
  }

  #cancel(cancelledTests: readonly EndedTest[], parent: Frame | undefined): void {
    if (parent) parent.cancelled.push(...cancelledTests);
    else this.#addAll(cancelledTests);
  }

  #addAll(all: readonly EndedTest[], reasons?: readonly TestError[]): void {
    for (const { spec, names, data, isPassed, startedAt } of all) {
      const { skip, todo, expectFailure, details, tags } = data;
      if (isFiltered(data)) continue;
      const duration = Math.round(details?.duration_ms ?? 0);
      const { state, status } = deriveEnding(data, isPassed);
      const errors = isPassed ? [] : (reasons ?? toTestErrors(data, spec));
      const isExpected = isPassed && expectFailure !== undefined && expectFailure !== false;
      const attempt = { status, startTime: startedAt ?? Date.now() - duration, duration, errors };
      this.#add(spec, names, {
        state,
        attempts: [isExpected ? { ...attempt, state: 'failed', status: 'failed' } : { ...attempt, state }],
        expectedStatus: expectFailure ? 'failed' : state === 'pending' ? 'skipped' : 'passed',
        annotations: [
          ...listAnnotations('skip', skip),
          ...listAnnotations('todo', todo),
          ...listAnnotations('fail', expectFailure),
        ],
        tags,
      });
    }
  }

  #add(spec: string, names: readonly string[], { tags = [], ...result }: Omit<FinishedTest, keyof TestName>): void {
    const stableNames = names.map((name) => replaceUnstableParts(cleanTitle(name)));
    const name = this.#names.next(DEFAULT_GROUP, spec, stableNames);
    this.#hasTests = true;
    this.#session.recorder.add(DEFAULT_GROUP, spec, { ...name, tags: normalizeTags(tags), ...result });
  }

  #fileOf(path: string): File {
    const file = this.#files.get(path) ?? new File();
    this.#files.set(path, file);
    return file;
  }

  #specOf = (path: string): string =>
    normalizeSpec(toSpecPath(path.startsWith('file:') ? fileURLToPath(path) : path, this.#session.settings.root));

  #endFile({ process: path, spec }: { readonly process: string; readonly spec: string }): void {
    this.#session.recorder.endOfFile(DEFAULT_GROUP, spec);
    const file = this.#files.get(path);
    if (!file?.hasUnsentOutput) return;
    file.hasUnsentOutput = false;
    this.#session.recorder.addOutput(DEFAULT_GROUP, this.#specOf(path), file.output.text);
  }

  #print(data: EventData, type: string): void {
    const { message = '' } = data;
    const file = this.#fileOf(getProcessFile(data));
    file.output.add(message);
    file.hasUnsentOutput = true;
    if (type === 'test:stderr') file.stderr.add(message);
  }

  #diagnose({ message = '' }: EventData): void {
    if (LATE_ERROR.test(message)) this.#lateErrors.push(message.replace(/^(?:Error|Warning): /, ''));
    if (THRESHOLD.test(message)) this.#errors.push(message);
  }

  /** The result of the process of a test file. Node reports it if the process failed, or had no tests. */
  #fileEnded(data: EventData, isPassed: boolean): void {
    const { file = '' } = data;
    const lateErrors = this.#lateErrors.splice(0);
    const failureType = getFailureType(data);
    if (failureType === 'subtestsFailed') return;
    if (failureType === 'cancelledByParent') {
      this.#isInterrupted = true;
      return;
    }
    const spec = this.#specOf(file);
    const duration = Math.round(data.details?.duration_ms ?? 0);
    const state = isPassed ? 'passed' : 'failed';
    const { output, stderr } = this.#fileOf(getProcessFile(data));
    const errors =
      failureType === 'hookFailed' ? toTestErrors(data, spec) : [makeFileError(data, spec, lateErrors, stderr.text)];
    this.#add(spec, [toSpecPath(file, normalizeRoot(process.cwd()))], {
      state,
      attempts: [
        {
          state,
          status: state,
          startTime: Date.now() - duration,
          duration,
          ...(isPassed ? {} : { errors, stdout: [output.text] }),
        },
      ],
    });
  }
}

/** The number of shards, from `--test-shard=1/3`. */
function parseShardCount(args: readonly string[]): number | undefined {
  const at = args.findIndex((arg) => arg.startsWith('--test-shard'));
  const text = args[at]?.includes('=') ? args[at] : args[at + 1];
  const count = at < 0 ? Number.NaN : Number(text?.split('/')[1]);
  return Number.isInteger(count) && count > 0 ? count : undefined;
}
