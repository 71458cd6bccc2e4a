/**
 * Records the tests of one process: it collects finished tests, and sends them in batches while the suite runs. It
 * never throws and never fails the test run. Results that it could not send stay in the spool.
 */

import { resolve } from 'node:path';
import { makeVisibleLine } from '#shared/engine/plain-text.ts';
import { prefixGroup } from '#shared/reports/group-name.ts';
import PACKAGE from '../package/package.json' with { type: 'json' };
import { getErrorMessage } from '../settings/failure.ts';
import { isObject } from '../settings/json.ts';
import { findCommand, findLeg } from '../settings/leg.ts';
import {
  boundErrors,
  boundFile,
  boundGroup,
  boundGroupName,
  boundSpec,
  boundTest,
  boundTestId,
  placeErrors,
  toBoundedJson,
} from './bounded-test.ts';
import { Connection, GaveUp, Refused } from './connection.ts';
import { FileUploads } from './file-uploads.ts';
import type { FinishedTest, Framework, Group, TestFile } from './messages.ts';
import { readNewFailures } from './new-failures.ts';
import { countBytes, Part } from './part.ts';
import { PLATFORM } from './platform.ts';
import { findSpoolProject, listSpools, type SpoolContent } from './read-spool.ts';
import { type NewFailures, NO_FAILURES, type RecordingResult, readRunProblems } from './recording-result.ts';
import type { Settings } from './settings.ts';
import { Spool, type SpoolEnd, type SpoolStart } from './spool.ts';
import { findFileToSend } from './spooled-file.ts';
import { omitEvidence } from './test-evidence.ts';
import { type Result, TestResults } from './test-results.ts';

/** How often the recorder checks what is due, in milliseconds. */
const INTERVAL = 1000;
/** A batch is sent immediately if a spec file has this many unsent tests. */
const TESTS_PER_PART = 200;
const BATCH_BYTES = 400 * 1024;
const MOST_IN_FLIGHT = 4;
/**
 * Finished tests and their files wait for others for this many milliseconds, because each request and each part of a
 * spec file costs several reads and writes. So most spec files are sent as a whole, and several of them together.
 */
const PAUSE = 5000;
/**
 * A spec file that runs for a long time is sent in parts. How long passed tests wait for the first part, and for each
 * later part, in milliseconds. A part costs about as much as ten tests, and people wait for failures rather than for
 * passed tests.
 */
const FIRST_PART = 15_000;
const LATER_PART = 30_000;
/**
 * At the end, the recorder says after `SILENT_END` milliseconds that it is still sending, and gives up after
 * `LONGEST_END`. If the service never answered, it gives up after `SILENT_END`.
 */
const SILENT_END = 10_000;
const LONGEST_END = 60_000;
const SEND_AGAIN = 'npx --no rundown upload --spool';
const STORAGE_FULL =
  'Files were left out, because the storage of the organization is full. An Admin sees what to do on the page Usage';
/** After this many milliseconds without results, a machine sends an empty batch, so that its run does not time out. */
const SIGN_OF_LIFE = 60_000;
/** The recorder keeps only this many characters from the end of the output of a spec file. */
export const SPEC_OUTPUT_CHARACTERS = 1024 * 1024;

interface Batch {
  readonly sequence: number;
  readonly json: string;
  readonly parts: readonly Part[];
  readonly results: readonly Result[];
}

interface Beginning {
  /** The number of spec files that this machine will run, for frameworks that do not know their tests yet. */
  readonly specFiles?: number | undefined;
  readonly shards?: number | undefined;
  /** Which part of which suite this machine runs, so that a later try can repeat what failed. */
  readonly part?: string | undefined;
  /** Whether this is a later try that runs only what failed, so that it is not known how many machines take part. */
  readonly isRepetition?: boolean;
  /** Whether a flaky test fails the run, so that a later try has to repeat it. */
  readonly failsOnFlaky?: boolean;
  /** Stops the tests, because the run was cancelled. Default: as Ctrl-C does, which each runner handles. */
  readonly stopTests?: () => void;
}

/** A signal would end the process at once on Windows. */
const interrupt = (): void => void process.emit('SIGINT', 'SIGINT');

export class Recorder {
  readonly #settings: Settings;
  readonly #framework: Framework;
  readonly #abort = new AbortController();
  readonly #connection: Connection;
  readonly #parts = new Map<string, Part>();
  readonly #inFlight = new Set<Promise<void>>();
  readonly #files: FileUploads;
  readonly #problems: string[] = [];
  readonly #results = new TestResults();
  #spool: Spool | undefined;
  #earlierSpools: readonly string[] = [];
  #begun: SpoolStart | undefined;
  #started: Promise<string | undefined> = Promise.resolve(undefined);
  #runUrl: string | undefined;
  #timer: NodeJS.Timeout | undefined;
  #sequence = 0;
  #lastSent = Date.now();
  #machines = 1;
  #failsOnFlaky = false;
  /** Whether the runner failed for a reason that the tests do not explain. A later try then repeats everything. */
  #isUnexplained = false;
  #isRefused = false;
  /** Why the service will never accept the results. */
  #finalRefusal: string | undefined;
  /** Why tests could not be sent. */
  readonly #lost: string[] = [];
  #isEnding = false;
  #hasSentAll = false;
  #isOver = false;
  #cancelled: string | undefined;
  #stopTests: (() => void) | undefined;

  constructor(settings: Settings, framework: Framework) {
    this.#settings = settings;
    this.#framework = framework;
    this.#connection = new Connection(settings, this.#abort.signal);
    this.#files = new FileUploads({
      connection: this.#connection,
      machineId: settings.machineId,
      runId: () => this.#started,
      isKnown: ({ group, spec }) => this.#hasSentAll || this.#part(group, spec).isKnown,
      onProblem: (problem) => this.#problems.push(problem),
    });
  }

  /** Starts the recording in the background. `shards`: the number of shards of the suite, if the framework knows it. */
  begin(
    frameworkGroups: readonly Group[],
    { shards, specFiles, part, isRepetition, failsOnFlaky, stopTests = interrupt }: Beginning = {},
  ): void {
    this.#stopTests = stopTests;
    const settings = this.#settings;
    const groups = frameworkGroups.map(boundGroup);
    this.#machines = isRepetition ? 1 : (settings.machines ?? shards ?? 1);
    this.#failsOnFlaky = failsOnFlaky ?? false;
    for (const { name: group, tests } of groups)
      for (const { spec, testId } of tests) {
        const part = this.#part(this.#groupOf(group), spec);
        part.open.add(testId);
        part.isKnown = true;
      }
    const command = findCommand(process.env);
    const { machineId, keepOpen, ciBuildId, commit, pullRequest, github, job, tags } = settings;
    const body = {
      machineId,
      ciBuildId,
      framework: { ...this.#framework, clientVersion: PACKAGE.version },
      commit,
      pullRequest: pullRequest === undefined ? null : { id: pullRequest },
      github: github ?? null,
      ...(job === undefined ? {} : { job }),
      ...(settings.try === undefined ? {} : { try: settings.try }),
      ...(specFiles ? { specFiles } : {}),
      stopsIfCancelled: true,
      ...(part === undefined ? {} : { part }),
      ...(command === undefined ? {} : { leg: findLeg(process.env, settings.group, [command]) }),
      tags,
      cancelAfterFailures: settings.cancelAfterFailures ?? null,
      groups: groups.map((group) => this.#sent(group)),
    };
    this.#earlierSpools = listSpools(settings.spool).waiting.filter(
      (path) => (findSpoolProject(path) ?? settings.project) === settings.project,
    );
    const start = { project: settings.project, machineId, machines: this.#machines, keepOpen, body };
    this.#begun = start;
    this.#spool = new Spool({ folder: settings.spool, start });
    this.#started = this.#start(JSON.stringify(body));
    this.#timer = setInterval(() => this.#flush(), INTERVAL);
    this.#timer.unref();
  }

  /** Adds a group that was not known when the recording began. It must be added before its results. */
  addGroup(group: Group): void {
    if (!this.#begun) return;
    const start = { ...this.#begun, body: { ...this.#begun.body, groups: [this.#sent(boundGroup(group))] } };
    this.#spool?.add({ start });
    const json = JSON.stringify(start.body);
    this.#started = this.#started.then((runId) => (runId === undefined ? undefined : this.#start(json)));
  }

  #sent = ({ name, tags = [], environment, browser, ...group }: Group) => ({
    ...group,
    name: this.#groupOf(name),
    tags,
    environment: environment ?? this.#settings.environment ?? null,
    browser: browser ?? null,
    platform: PLATFORM,
  });

  #groupOf = (name: string): string => prefixGroup(this.#settings.group, name);

  /**
   * Sends what an earlier process left in its spool. Results that the service already has are sent again, which changes
   * nothing. The address and the key are those of the settings, and files are only sent from below the working folder.
   */
  static async resume(settings: Settings, spool: SpoolContent): Promise<RecordingResult> {
    const { path, id, start, tests, files, batches, damagedLines, end = STOPPED } = spool;
    const { machineId, keepOpen, machines, body } = start;
    const recorder = new Recorder({ ...settings, group: undefined, machineId, keepOpen }, { type: '', version: '' });
    recorder.#connection.keepsProcess = true;
    recorder.#machines = machines;
    recorder.#spool = new Spool({ path, id });
    recorder.#started = recorder.#start(JSON.stringify(body));
    // It is not known which of these batches arrived. Empty ones close the gaps, and their tests follow in new batches.
    for (let sequence = 0; sequence < batches && !recorder.#isRefused; sequence += 1) {
      recorder.#send(recorder.#nextBatch([]));
      if (recorder.#inFlight.size >= MOST_IN_FLIGHT) await Promise.race(recorder.#inFlight);
    }
    for (const [group, spec, json] of tests)
      try {
        recorder.#addTest(group, spec, JSON.parse(json));
      } catch (error) {
        recorder.#lose(`A test of ${spec} was not recorded: ${getErrorMessage(error)}`);
      }
    if (damagedLines > 0) recorder.#lost.push(describeDamage(damagedLines));
    for (const file of files) await recorder.#addSpooledFile(file);
    const isWhole = recorder.#lost.length === 0;
    return recorder.end(isWhole ? end : { ...end, failed: true });
  }

  async #addSpooledFile({ path, group, spec, ...file }: SpoolContent['files'][number]): Promise<void> {
    const fileToSend = await findFileToSend(path, process.cwd());
    if ('path' in fileToSend) {
      // It has waited since the earlier process, so it is due at once.
      this.#files.add([{ ...boundFile({ ...file, content: fileToSend }), ...boundPlace(group, spec) }], 0);
      return;
    }
    this.#problems.push(`${file.name} of ${spec} was left out, because ${fileToSend.problem}`);
    this.#files.leavesFiles ||= fileToSend.isKept;
  }

  async #start(json: string): Promise<string | undefined> {
    try {
      const { runId, runUrl, cancellation } = await this.#connection.post(
        `/projects/${encodeURIComponent(this.#settings.project)}/recordings`,
        json,
      );
      this.#runUrl = typeof runUrl === 'string' ? runUrl : undefined;
      this.#noteCancellation(cancellation);
      return typeof runId === 'string' ? runId : undefined;
    } catch (error) {
      this.#fail(error);
      return undefined;
    }
  }

  /** For frameworks that find the tests of a file only when they load it. It is sent when all of them have finished. */
  expect(group: string, spec: string, testIds: readonly string[]): void {
    const { open } = this.#part(this.#groupOf(group), spec);
    for (const testId of testIds) open.add(boundTestId(testId));
  }

  /** Adds a finished test. A test that is added again replaces its earlier result. */
  add(name: string, spec: string, test: FinishedTest, files: readonly TestFile[] = []): void {
    try {
      const { part, json } = this.#addTest(this.#groupOf(name), spec, test);
      this.#spool?.add({ test: [part.group, part.spec, json] });
      this.addFiles(name, spec, files);
      if (part.lines.length >= TESTS_PER_PART || part.bytes >= BATCH_BYTES) this.#flush();
    } catch (error) {
      // The other tests are recorded. The run cannot pass without this one.
      this.#lose(`The test ${String(test.testId)} of ${spec} was not recorded: ${getErrorMessage(error)}`);
    }
  }

  #lose(reason: string): void {
    this.#lost.push(reason);
    this.#results.lostCount += 1;
  }

  #addTest(group: string, spec: string, finishedTest: FinishedTest): { readonly part: Part; readonly json: string } {
    const test = boundTest(finishedTest);
    const { json, isReduced } = toBoundedJson(placeErrors(omitEvidence(test), this.#settings.root));
    const part = this.#part(group, spec);
    if (isReduced)
      this.#problems.push(`${test.title.join(' › ')} has too much output, so that a part of it was left out`);
    const result = this.#results.add(part, test);
    if (part.lines.length === 0) part.since = Date.now();
    part.lines.push({ json, result });
    part.bytes += json.length;
    part.hasFailed ||= test.state === 'failed';
    if (part.open.delete(test.testId) && part.open.size === 0) part.hasEnded = true;
    const { workerIndex = -1, parallelIndex = -1 } = test.attempts[0] ?? {};
    if (workerIndex >= 0) part.worker ??= { workerIndex, parallelIndex };
    return { part, json };
  }

  /** Says that a spec file gets no more tests, so that it is sent with the next batch. */
  endOfFile(group: string, spec: string): void {
    this.#part(this.#groupOf(group), spec).hasEnded = true;
  }

  addFiles(name: string, spec: string, files: readonly TestFile[]): void {
    const group = this.#groupOf(name);
    const place = boundPlace(group, spec);
    for (const file of files.map(boundFile)) {
      this.#files.add([{ ...file, ...place }]);
      const { content, ...metadata } = file;
      if ('path' in content) this.#spool?.add({ file: { ...metadata, ...place, path: resolve(content.path) } });
    }
  }

  /** Attaches the end of the output of a spec file to the spec file, as the file `stdout`. */
  addOutput(group: string, spec: string, text: string): void {
    if (text === '') return;
    const content = { bytes: Buffer.from(text.slice(-SPEC_OUTPUT_CHARACTERS)) };
    this.addFiles(group, spec, [{ type: 'stdout', name: 'stdout', contentType: 'text/plain', content }]);
  }

  /** Says that the runner failed although no test did. */
  failWithoutReason(): void {
    this.#isUnexplained = true;
  }

  /** Sends the rest. `failed`: the job failed for another reason than its tests. `errors`: errors outside tests. */
  async end({ failed, errors: all }: SpoolEnd): Promise<RecordingResult> {
    const errors = boundErrors([...this.#lost, ...all]);
    this.#isEnding = true;
    this.#connection.keepsProcess = true;
    clearInterval(this.#timer);
    this.#spool?.add({ end: { failed, errors } });
    const notice = setTimeout(
      () => console.error(`Rundown  still sending results (${this.#connection.problem || 'slow connection'})`),
      SILENT_END,
    );
    const { waitAtEnd } = this.#settings;
    const usual = this.#connection.hasAnswered ? LONGEST_END : SILENT_END;
    const longestWait = waitAtEnd === undefined ? usual : waitAtEnd * 1000;
    const deadline = setTimeout(() => this.#abort.abort(), longestWait);
    let endAnswer: Readonly<Record<string, unknown>> = {};
    let newFailures: NewFailures | undefined;
    try {
      const runId = await this.#started;
      if (runId !== undefined) {
        const hasFailed = this.#results.listFailed().length > 0;
        const endRun = async () => {
          await this.#sendAll();
          this.#hasSentAll = true;
          if (!this.#isRefused) endAnswer = await this.#sendEnd(runId, failed, errors);
          if (endAnswer['runHasEnded'] === true && hasFailed)
            newFailures = await readNewFailures(this.#connection, runId, this.#results.listFailed());
        };
        // The files of spec files that the service knows need not wait for the last results.
        await Promise.all([endRun().catch((error: unknown) => this.#fail(error)), this.#files.uploadAll()]);
        await this.#files.uploadAll();
        if (!hasFailed) newFailures = NO_FAILURES;
      }
    } catch (error) {
      this.#fail(error);
    } finally {
      clearTimeout(notice);
      clearTimeout(deadline);
    }
    const isIncomplete = this.#isRefused || this.#unsent() > 0 || endAnswer['missing'] === undefined;
    this.#isOver = true;
    if (isIncomplete && this.#finalRefusal !== undefined) this.#spool?.setAside(this.#finalRefusal);
    else if (isIncomplete || this.#files.leavesFiles) this.#spool?.close();
    else this.#spool?.remove();
    const failedTests = this.#results.listFailed();
    return {
      runUrl: this.#runUrl,
      counts: this.#results.counts(),
      notRecorded: this.#results.countUnrecorded(),
      failed: failedTests,
      newFailures,
      runProblems: readRunProblems(endAnswer, { failed, errors, hasFailedTests: failedTests.length > 0 }),
      problems: this.#problemsAtEnd(isIncomplete),
      isIncomplete: isIncomplete || this.#results.leftOutCount > 0 || this.#lost.length > 0,
      waitsForMachines: Number(endAnswer['waitsForMachines'] ?? 0),
      cancelled: this.#cancelled,
      versionNotice: this.#connection.versionNotice,
    };
  }

  /**
   * Stops without sending anything, because the process is ending. Returns the path of the spool that has everything,
   * or `undefined` if the recording is over already, or if the spool could not be written.
   */
  stop(end: SpoolEnd): string | undefined {
    if (this.#isOver) return undefined;
    this.#isOver = true;
    clearInterval(this.#timer);
    this.#abort.abort();
    if (!this.#isEnding) this.#spool?.add({ end: { ...end, errors: boundErrors(end.errors) } });
    this.#spool?.close();
    return this.#spool?.problem === undefined ? this.#spool?.path : undefined;
  }

  /**
   * Ends the recording without sending anything, because the process is about to exit. Returns what to print. The spool
   * keeps the results and the error, so that `rundown upload --spool` ends the run as failed.
   */
  abandon(error: string): string[] {
    if (!this.#isEnding) this.#spool?.add({ end: { failed: true, errors: boundErrors([error]) } });
    this.#isEnding = true;
    clearInterval(this.#timer);
    this.#spool?.close();
    return [error, ...this.#problemsAtEnd(true)];
  }

  #problemsAtEnd(isIncomplete: boolean): string[] {
    const { path, problem } = this.#spool ?? {};
    const isAside = isIncomplete && this.#finalRefusal !== undefined;
    const isKept = (isIncomplete && !isAside) || this.#files.leavesFiles;
    const isLost = isIncomplete && problem !== undefined;
    const lines = [...new Set(this.#problems)];
    if (lines.length === 0 && isIncomplete && this.#connection.problem)
      lines.push(`The service was not available: ${this.#connection.problem}`);
    if (this.#files.isStorageFull) lines.push(STORAGE_FULL);
    if (isLost) {
      lines.push(`Results are lost, because they could not be kept: ${problem}`);
      return lines;
    }
    if (isAside)
      lines.push(
        `The service will not accept these results, so they were set aside in ${path}. Delete the file if nobody needs them, or try again with: ${SEND_AGAIN} ${path}`,
      );
    const waitingSpools = isKept && path !== undefined ? [...this.#earlierSpools, path] : this.#earlierSpools;
    const contents = (isIncomplete && !isAside) || this.#earlierSpools.length > 0 ? 'Results' : 'Files';
    if (waitingSpools.length > 0)
      lines.push(`${contents} are waiting in ${waitingSpools.join(', ')}. Send them with: ${SEND_AGAIN}`);
    return lines;
  }

  #part(name: string, path: string): Part {
    const { group, spec } = boundPlace(name, path);
    const key = JSON.stringify([group, spec]);
    const part = this.#parts.get(key) ?? new Part(group, spec);
    this.#parts.set(key, part);
    return part;
  }

  /** Whether the service still waits for the last part of the spec file, although all of its tests are sent. */
  #isToClose = ({ lines, hasEnded, hasPromisedMore }: Part): boolean =>
    lines.length === 0 && hasPromisedMore && (hasEnded || this.#isEnding);

  #unsent = (): number => [...this.#parts.values()].reduce((sum, { lines }) => sum + lines.length, 0);

  #isDue(part: Part, now: number): boolean {
    if (this.#isEnding || part.lines.length >= TESTS_PER_PART || part.bytes >= BATCH_BYTES) return true;
    // People wait for failed tests, and a spec file that has ended has no further part.
    const isUrgent = part.hasFailed || part.hasEnded;
    const partPause = part.sentParts === 0 ? FIRST_PART : LATER_PART;
    return now - part.since >= (isUrgent ? PAUSE : partPause);
  }

  #flush(): void {
    if (this.#isRefused) return;
    const now = Date.now();
    const due = this.#due(now);
    while (due.length > 0 && this.#inFlight.size < MOST_IN_FLIGHT) this.#send(this.#nextBatch(due));
    const isSilent = now - this.#lastSent >= SIGN_OF_LIFE && this.#inFlight.size === 0;
    if (isSilent && !this.#isEnding) this.#send(this.#nextBatch([]));
    this.#files.uploadDue(now, PAUSE);
  }

  /**
   * The spec files to send now. Batches with the same test must not overtake each other, so each spec file is in at
   * most one batch in flight. If a batch is sent anyway, it includes the unsent tests of spec files that have ended.
   */
  #due(now: number): Part[] {
    const sendableParts = [...this.#parts.values()].filter(
      (part) => !part.isInFlight && (part.lines.length > 0 || this.#isToClose(part)),
    );
    const due = sendableParts.filter((part) => this.#isDue(part, now));
    return due.length === 0 ? [] : [...due, ...sendableParts.filter((part) => part.hasEnded && !due.includes(part))];
  }

  /** Takes parts until the batch is full. The tests of a part that do not fit into it follow in a later batch. */
  #nextBatch(due: Part[]): Batch {
    const parts: Part[] = [];
    const instances: string[] = [];
    const results: Result[] = [];
    let bytes = 0;
    for (let part = due.shift(); part; part = due.shift()) {
      const { group, spec, worker } = part;
      const lines = part.takeLines(BATCH_BYTES - bytes);
      part.hasPromisedMore = part.lines.length > 0 || !(part.hasEnded || this.#isEnding);
      const hasMore = part.hasPromisedMore || undefined;
      const head = JSON.stringify({ groupId: group, spec, worker, hasMore });
      instances.push(`${head.slice(0, -1)},"tests":[${lines.map(({ json }) => json).join(',')}]}`);
      results.push(...lines.map(({ result }) => result));
      bytes += countBytes(lines);
      parts.push(part);
      part.isInFlight = true;
      part.sentParts += 1;
      if (bytes >= BATCH_BYTES) break;
    }
    const sequence = this.#sequence++;
    const machineId = JSON.stringify(this.#settings.machineId);
    return {
      sequence,
      parts,
      results,
      json: `{"machineId":${machineId},"sequence":${sequence},"instances":[${instances.join(',')}]}`,
    };
  }

  #send(batch: Batch): void {
    this.#lastSent = Date.now();
    this.#spool?.add({ sent: batch.sequence });
    const sending = this.#sendBatch(batch).finally(() => {
      this.#inFlight.delete(sending);
      for (const part of batch.parts) part.isInFlight = false;
    });
    this.#inFlight.add(sending);
  }

  async #sendBatch({ json, parts, results }: Batch): Promise<void> {
    const runId = await this.#started;
    if (runId === undefined) return;
    try {
      const answer = await this.#connection.post(`/recordings/${runId}/batches`, json);
      const { cancellation, leftOut = [] } = answer;
      for (const result of results) result.isAcknowledged = true;
      if (Array.isArray(leftOut) && leftOut.length > 0) {
        this.#results.leftOutCount += Number(answer['leftOutTests'] ?? leftOut.length);
        this.#problems.push(...leftOut.map(String));
      }
      for (const part of parts) part.isKnown = true;
      this.#noteCancellation(cancellation);
    } catch (error) {
      this.#fail(error);
    }
  }

  #noteCancellation(cancellation: unknown): void {
    if (!isObject(cancellation) || this.#cancelled !== undefined) return;
    const { actor, reason } = cancellation;
    this.#cancelled = reason === 'failFast' ? 'because too many tests failed' : `by ${String(actor)}`;
    if (this.#isEnding || this.#isOver || !this.#stopTests) return;
    console.error(`Rundown  the run was cancelled ${makeVisibleLine(this.#cancelled)}, so its tests stop`);
    setImmediate(this.#stopTests);
  }

  async #sendAll(): Promise<void> {
    const hasPartToClose = () => [...this.#parts.values()].some(this.#isToClose);
    while (!this.#isRefused && (this.#unsent() > 0 || hasPartToClose() || this.#inFlight.size > 0)) {
      this.#flush();
      await Promise.race(this.#inFlight);
    }
    // Batches that were sent before one was refused may still be acknowledged.
    await Promise.all(this.#inFlight);
  }

  async #sendEnd(
    runId: string,
    hasFailed: boolean,
    errors: readonly string[],
  ): Promise<Readonly<Record<string, unknown>>> {
    const { machineId, keepOpen } = this.#settings;
    const state = { machines: this.#machines, keepOpen, batches: this.#sequence, failed: hasFailed, errors };
    const body = {
      machineId,
      ...state,
      toRepeat: this.#isUnexplained ? null : this.#results.listToRepeat(this.#failsOnFlaky),
    };
    const answer = await this.#connection.post(`/recordings/${runId}/end`, JSON.stringify(body));
    const { missing } = answer;
    if (!Array.isArray(missing) || missing.length === 0) return answer;
    this.#problems.push(`The service did not receive all results (missing batches: ${missing.join(', ')})`);
    this.#isRefused = true;
    return {};
  }

  /** Stops sending, and keeps the reason for the summary. Results that were not sent stay in the spool. */
  #fail(error: unknown): void {
    this.#isRefused = true;
    if (error instanceof Refused && error.isFinal) this.#finalRefusal ??= error.message;
    if (!(error instanceof GaveUp)) this.#problems.push(getErrorMessage(error));
  }
}

const boundPlace = (group: string, spec: string) => ({ group: boundGroupName(group), spec: boundSpec(spec) });

const describeDamage = (lines: number): string =>
  `Results are missing, because ${lines === 1 ? 'a line' : `${lines} lines`} of the file in which they waited ${lines === 1 ? 'was' : 'were'} damaged`;

/** The end of a recording whose process was killed. */
const STOPPED: SpoolEnd = { failed: true, errors: ['The test process was stopped before the end of its tests'] };
