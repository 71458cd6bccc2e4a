/**
 * Collects the tests of one report file and groups them by spec file. Makes names valid, merges attempts, and limits
 * the length of texts.
 */

import type * as z from 'zod';
import { copyText } from '#shared/engine/own-copy.ts';
import type { ReportedInstance, ReportedTest } from '#shared/ingest/reported.ts';
import { makeTestId } from '#shared/model/ids.ts';
import { type Attempt, computeTimeSpan } from '#shared/model/results/attempt.ts';
import { shouldStoreEvidence } from '#shared/model/results/outcomes.ts';
import { normalizeId, normalizeSpec, normalizeTitle } from '#shared/model/short-names.ts';
import { deriveFinalOutcome, isFlaky } from '#shared/results/executions/flaky.ts';
import type { FormerName, FoundAttempt, FoundTest, JoinAttempts, SameName } from './found.ts';
import { listEvidence, toAttempts, trimAttempt } from './kept-results.ts';
import { REPORT_LIMITS } from './limits.ts';
import { type Copies, findFreeTitle } from './names.ts';
import type { ParserInput } from './parser-input.ts';
import type { ParsedFile, RenamedTest, ReportedFile } from './report.ts';
import { ODD_PARTS, Warnings } from './warnings.ts';

interface CollectedTest {
  readonly title: readonly string[];
  readonly testId: string;
  rows: FoundTest[];
}

interface Spec {
  readonly groupId: string;
  readonly spec: string;
  readonly tests: Map<string, CollectedTest>;
  readonly testIds: Set<string>;
  readonly copies: Copies;
}

export class Collector {
  readonly warnings = new Warnings();
  /** The spec files, by their names in the report (`#sent`) and by their stored names (`#specs`). */
  readonly #sent = new Map<string, Spec>();
  readonly #specs = new Map<string, Spec>();
  readonly #input: ParserInput;
  readonly #group: string;
  readonly #former = new Map<string, Copies>();
  readonly #renamed: RenamedTest[] = [];
  #tests = 0;
  #duplicates = 0;
  #truncated = false;
  #hasOddParts = false;

  /** Whether tests were left out, because the limit of tests per file is reached. */
  get full(): boolean {
    return this.#truncated && this.#tests === REPORT_LIMITS.testsPerFile;
  }

  /** `group`: the group of tests for which neither the report nor the request names one. */
  constructor(input: ParserInput, group: string) {
    this.#input = input;
    this.#group = input.group ?? group;
  }

  /** Drops what exceeds the budget, so that the test can stay in memory until the whole file has been read. */
  trim(test: FoundTest): FoundTest {
    this.#input.reading.work(estimateWork(test), this.#input.name);
    const leaves = test.outcome === 'failed' || test.attempts.length > 1;
    const attempts = leaves ? test.attempts : test.attempts.map((attempt) => ({ ...attempt, evidence: undefined }));
    return {
      ...test,
      group: test.group === null ? null : copyText(test.group),
      spec: copyText(test.spec),
      title: test.title.map(copyText),
      former: test.former && {
        ...test.former,
        spec: copyText(test.former.spec),
        title: test.former.title.map(copyText),
      },
      attempts: attempts.map((attempt) => this.#trimmed(attempt, test.spec)),
    };
  }

  #trimmed(attempt: FoundAttempt, spec: string): FoundAttempt {
    const trimmedAttempt = trimAttempt(attempt, this.#input.budget);
    const left = attempt.files?.filter((file) => !trimmedAttempt.files?.includes(file)) ?? [];
    for (const { name } of left) this.warnings.leaveOut({ name, spec }, NO_ROOM);
    return trimmedAttempt;
  }

  /** Returns a function that finds attachments next to the report, and adds the warning if the archive lacks one. */
  findFiles(warning: string): ParserInput['fileAt'] {
    return (attachment) => {
      const file = this.#input.fileAt(attachment);
      if (!file) this.warnings.once(warning);
      return file;
    };
  }

  /** Reads a test, or what is around tests. What has another type may have been a failure, so the report is incomplete. */
  read<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema> | undefined {
    const { success, data } = schema.safeParse(value);
    if (!success) this.noteOddPart();
    return data;
  }

  /** Reads a list in the same way. One that is absent is empty. */
  readAll<Schema extends z.ZodType>(schema: Schema, value: unknown): z.output<Schema>[] {
    return this.listParts(value).flatMap((one) => this.read(schema, one) ?? []);
  }

  listParts(value: unknown): readonly unknown[] {
    if (Array.isArray(value)) return value;
    if (value !== undefined && value !== null) this.noteOddPart();
    return [];
  }

  noteOddPart(): void {
    this.#hasOddParts = true;
    this.warnings.once(ODD_PARTS);
  }

  /** Adds a test. Its texts and files must have been deducted from the budget before, for example by `trim`. */
  add(test: FoundTest, sameName: SameName = 'numbered'): void {
    const { spec, tests, testIds, copies } = this.#specOf(test);
    const title = normalizeTitle(test.title);
    const key = JSON.stringify(title);
    const tryKey = test.source === undefined ? key : `in ${test.source}: ${key}`;
    const earlierCopies = copies.get(key) ?? 0;
    if (earlierCopies > 0) this.#duplicates += 1;
    const collectedTest = tests.get(tryKey);
    const formerName = test.former && this.#formerNameOf(test.former);
    if (collectedTest && sameName === 'last') {
      collectedTest.rows = [test];
      this.#noteFormerName(formerName, { spec, title: collectedTest.title });
      return;
    }
    if (collectedTest && sameName === 'attempts') {
      this.#noteFormerName(formerName, { spec, title: collectedTest.title });
      // The last attempt determines the outcome of the test, so it replaces the one before it if the limit is reached.
      if (collectedTest.rows.length === REPORT_LIMITS.attemptsPerTest) collectedTest.rows.pop();
      collectedTest.rows.push(test);
      return;
    }
    const isFull = this.#tests === REPORT_LIMITS.testsPerFile;
    if (isFull || tests.size === REPORT_LIMITS.testsPerSpec) {
      this.#truncated = true;
      const owner = isFull ? 'The file' : spec;
      const most = isFull ? REPORT_LIMITS.testsPerFile : REPORT_LIMITS.testsPerSpec;
      this.warnings.once(`${owner} has more than ${most} tests. The others are left out. Split the file`);
      return;
    }
    this.#tests += 1;
    copies.set(key, earlierCopies + 1);
    const isCopy = earlierCopies > 0 && sameName !== 'kept';
    const uniqueTitle = isCopy ? findFreeTitle(copies, title, earlierCopies + 1) : title;
    const reportedId = test.testId && normalizeId(test.testId);
    // The id is used only if no other test of the spec file has it: a damaged report may contain an id twice.
    const isOwn = reportedId && !testIds.has(reportedId);
    const testId = isOwn ? reportedId : makeTestId(spec, uniqueTitle, sameName === 'kept' ? earlierCopies : 0);
    testIds.add(testId);
    // An earlier release took tests of several sources for tries of one test, which keeps the name.
    if (!isCopy || sameName === 'numbered') this.#noteFormerName(formerName, { spec, title: uniqueTitle });
    tests.set(tests.has(tryKey) ? `${earlierCopies} ${key}` : tryKey, {
      title: uniqueTitle,
      testId,
      rows: [{ ...test, former: undefined }],
    });
  }

  /** Numbers copies as the earlier release did, in all tests of the file. */
  #formerNameOf({ spec: path, title: parts, sameName }: FormerName): RenamedTest['from'] {
    const spec = normalizeSpec(path);
    const title = normalizeTitle(parts);
    const copies = this.#former.get(spec) ?? new Map<string, number>();
    this.#former.set(spec, copies);
    const key = JSON.stringify(title);
    const earlierCopies = copies.get(key) ?? 0;
    copies.set(key, earlierCopies + 1);
    const isCopy = earlierCopies > 0 && sameName === 'numbered';
    return { spec, title: isCopy ? findFreeTitle(copies, title, earlierCopies + 1) : title };
  }

  #noteFormerName(from: RenamedTest['from'] | undefined, to: RenamedTest['to']): void {
    const isSame =
      from?.spec === to.spec &&
      from.title.length === to.title.length &&
      from.title.every((part, index) => part === to.title[index]);
    if (from && !isSame) this.#renamed.push({ from, to });
  }

  /** Different paths may lead to the same spec file, because characters that cannot be stored are replaced. */
  #specOf({ group, spec: path }: FoundTest): Spec {
    const reportedKey = JSON.stringify([group, path]);
    const knownSpec = this.#sent.get(reportedKey);
    if (knownSpec) return knownSpec;
    const groupId = normalizeId(group ?? this.#group);
    const spec = normalizeSpec(path);
    const key = JSON.stringify([groupId, spec]);
    const collectedSpec = this.#specs.get(key) ?? {
      groupId,
      spec,
      tests: new Map(),
      testIds: new Set<string>(),
      copies: new Map(),
    };
    this.#specs.set(key, collectedSpec);
    this.#sent.set(reportedKey, collectedSpec);
    return collectedSpec;
  }

  /** `join` merges several results of one test into several attempts. `facts`: what else the parser knows. */
  finish(join: JoinAttempts, facts: Pick<ParsedFile, 'format' | 'framework'> & Partial<ParsedFile>): ParsedFile {
    const attachments: ReportedFile[] = [];
    const all = [...this.#specs.values()].map(({ groupId, spec, tests }) => ({
      groupId,
      spec,
      tests: [...tests.values()].map((collectedTest) => {
        const test = collectedTest.rows.length > 1 ? join(collectedTest.rows) : collectedTest.rows[0];
        collectedTest.rows = [];
        if (!test) throw new Error(`The test "${collectedTest.title.join(' > ')}" of ${spec} has no results`);
        const attempts = limitAttempts(test.attempts);
        for (const [attempt, { files = [] }] of attempts.entries())
          for (const { held: _, ...file } of files)
            attachments.push({
              groupId,
              spec,
              testId: collectedTest.testId,
              attempt: getFirstAttemptNumber(test) + attempt,
              ...file,
            });
        return toReportedTest(collectedTest, { ...test, attempts });
      }),
    }));
    const instances = all.filter(({ tests }) => tests.length > 0);
    const files = selectFiles(attachments, this.warnings);
    return {
      name: this.#input.name ?? '',
      dialect: null,
      runErrors: [],
      runWarnings: [],
      lost: [],
      machine: null,
      shard: null,
      commit: {},
      ciBuildId: null,
      milliseconds: null,
      ...facts,
      instances,
      files,
      startedAt: computeTimeSpan(listAttempts(instances)).start ?? facts.startedAt ?? null,
      truncated: facts.truncated === true || this.#truncated || this.#hasOddParts,
      warnings: this.warnings.all,
      renamed: this.#renamed,
      duplicates: this.#duplicates,
    };
  }
}

const { work } = REPORT_LIMITS;

function estimateWork({ spec, title, attempts }: FoundTest): number {
  const characters = title.reduce((sum, { length }) => sum + length, spec.length);
  const steps = attempts.reduce((sum, { evidence }) => sum + (evidence?.steps.length ?? 0), 0);
  return title.length * work.titlePart + characters * work.titleCharacter + steps * work.step;
}

function* listAttempts(instances: readonly ReportedInstance[]): Generator<Attempt, void> {
  for (const { tests } of instances) for (const { attempts } of tests) yield* attempts;
}

const NO_ROOM = `a report may contain at most ${REPORT_LIMITS.keptCharacters} characters of texts and files. Send a zip of the report and its files`;

/** Keeps the first attempts, as many as the limit allows, and the last attempt, which determines the outcome. */
const limitAttempts = <One>(attempts: readonly One[]): readonly One[] =>
  attempts.length > REPORT_LIMITS.attemptsPerTest
    ? [...attempts.slice(0, REPORT_LIMITS.attemptsPerTest - 1), ...attempts.slice(-1)]
    : attempts;

/** A report may call a test flaky without its failed attempts. At least one of them precedes the attempt that passed. */
const getFirstAttemptNumber = ({ hidesAttempts, flaky, outcome }: FoundTest): number =>
  hidesAttempts && flaky && outcome === 'passed' ? 1 : 0;

function toReportedTest({ testId, title }: CollectedTest, test: FoundTest): ReportedTest {
  const attempts = toAttempts(test.attempts, getFirstAttemptNumber(test));
  const flaky = isFlaky({ ...test, attempts, reportedFlaky: test.flaky });
  const evidence = shouldStoreEvidence({ ...test, flaky }) ? listEvidence(test.attempts) : NOTHING;
  return {
    testId,
    title,
    expectedStatus: test.expectedStatus,
    outcome: deriveFinalOutcome(test.outcome, flaky),
    flaky,
    attempts,
    annotations: test.annotations.slice(0, REPORT_LIMITS.annotationsPerTest),
    tags: test.tags.slice(0, REPORT_LIMITS.tagsPerTest),
    evidence: evidence === NOTHING ? getNoEvidence : () => evidence,
  };
}

const NOTHING: [] = [];
const getNoEvidence = () => NOTHING;

const { attachmentBytes, attachmentsBytes, filesPerReport } = REPORT_LIMITS;

const formatNumber = (value: number): string => value.toLocaleString('en');

const TOO_MANY = `a report may have at most ${formatNumber(filesPerReport)} attachments`;

const NO_FILE_ROOM = `all attachments of a report may have at most ${formatNumber(attachmentsBytes)} bytes together`;

function selectFiles(files: readonly ReportedFile[], warnings: Warnings): ReportedFile[] {
  const selection: ReportedFile[] = [];
  let left: number = attachmentsBytes;
  for (const file of files) {
    if (file.size > attachmentBytes)
      warnings.leaveOut(
        file,
        `it has ${formatNumber(file.size)} bytes, and the limit is ${formatNumber(attachmentBytes)}`,
      );
    else if (selection.length === filesPerReport) warnings.leaveOut(file, TOO_MANY);
    else if (file.size > left) warnings.leaveOut(file, NO_FILE_ROOM);
    else {
      selection.push(file);
      left -= file.size;
    }
  }
  return selection;
}
