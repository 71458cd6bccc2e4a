/** Plans what to record of a parsed report. Deterministic: the same content gives the same plan. */

import { cutText } from '#shared/engine/cut-text.ts';
import type { ReportedInstance, ReportedTest } from '#shared/ingest/reported.ts';
import { computeBusyTime, sumDurations } from '#shared/model/results/attempt.ts';
import type { AppliedRule } from '#shared/model/rules/rule.ts';
import type { ImportCounts, ImportedFile, ImportOptions, QuarantinedFailures } from '#shared/model/runs/import.ts';
import type { StoredProblem } from '#shared/model/runs/run-problem.ts';
import type { ParsedFile, RenamedTest, ReportedFile } from '#shared/reports/report.ts';
import { PROBLEMS } from '#shared/results/runs/problem-wire.ts';
import { buildCommit } from './build-commit.ts';
import { IMPORT_LIMITS } from './limits.ts';
import { applyQuarantines, hashRules } from './quarantine.ts';

export interface PlannedInstance extends ReportedInstance {
  readonly machineId: string;
}

/** An attachment of a test. `repetition` says which result of the test in the request it belongs to. */
export type PlannedFile = ReportedFile & { readonly repetition: number };

export interface ImportPlan {
  readonly ciBuildId: string;
  readonly parsed: readonly ParsedFile[];
  /** The spec files to record, grouped by machine. */
  readonly instances: readonly PlannedInstance[];
  readonly tests: number;
  /** How long the tests took, in milliseconds. 0 if no report says it. */
  readonly milliseconds: number;
  readonly attachments: readonly PlannedFile[];
  readonly files: readonly ImportedFile[];
  /** Tests whose former names no test of the reports has. */
  readonly renamed: readonly RenamedTest[];
  /** What is wrong with the reports, other than their tests. */
  readonly problems: readonly StoredProblem[];
  /** Which failures are quarantined, and the digest of the rules. Empty if the request does not ask for it. */
  readonly quarantine: { readonly quarantine?: QuarantinedFailures; readonly rules?: string };
  /** Whether one of the problems keeps the run from passing, or the request says that the job failed. */
  readonly jobFailed: boolean;
}

/** `ownBuildId`: the build id for the case that neither the options nor the report name one. */
export function planImport(
  readFiles: readonly ParsedFile[],
  { options, ownBuildId }: { readonly options: ImportOptions; readonly ownBuildId: string },
  quarantines?: readonly AppliedRule[],
): ImportPlan {
  const result = quarantines && applyQuarantines(readFiles, quarantines, buildCommit(readFiles, options));
  const parsedFiles = result?.parsed ?? readFiles;
  const { instances, attachments } = mergeInstances(parsedFiles, options.machineId);
  const problems = listProblems(parsedFiles, options);
  const emptyFiles = parsedFiles.filter((file) => file.instances.length === 0);
  return {
    ciBuildId: options.ciBuildId ?? parsedFiles.find(({ ciBuildId }) => ciBuildId)?.ciBuildId ?? ownBuildId,
    parsed: parsedFiles,
    instances,
    tests: instances.reduce((sum, { tests }) => sum + tests.length, 0),
    milliseconds: computeRunDuration(parsedFiles, options.machineId),
    attachments,
    files: addWarnings(listImportedFiles(parsedFiles), instances.length === 0 ? [NO_TESTS] : []),
    renamed: listRenamedTests(parsedFiles),
    problems,
    quarantine:
      result && quarantines
        ? {
            quarantine: {
              ...result.failures,
              problems: [
                ...problems.slice(0, IMPORT_LIMITS.runErrors).map(({ message }) => message),
                ...(emptyFiles.length > 0 ? ['A report has no tests'] : []),
              ],
            },
            rules: hashRules(quarantines),
          }
        : {},
    jobFailed: options.status === 'failed' || problems.some(({ kind }) => PROBLEMS[kind].failsRun),
  };
}

function listRenamedTests(parsedFiles: readonly ParsedFile[]): RenamedTest[] {
  const renamedTests = parsedFiles.flatMap((file) => file.renamed);
  if (renamedTests.length === 0) return [];
  const instances = parsedFiles.flatMap((file) => file.instances);
  const presentKeys = new Set(
    instances.flatMap(({ spec, tests }) => tests.map(({ title }) => buildNameKey({ spec, title }))),
  );
  const vanishedTests = renamedTests.filter(({ from }) => !presentKeys.has(buildNameKey(from)));
  return [...new Map(vanishedTests.map((one) => [buildNameKey(one.from), one])).values()];
}

const buildNameKey = ({ spec, title }: RenamedTest['from']): string => JSON.stringify([spec, ...title]);
/** The time of the machine that took longest. A machine runs the tests of its files one after the other. */
function computeRunDuration(parsedFiles: readonly ParsedFile[], machineId: string | undefined): number {
  const machines = Map.groupBy(
    parsedFiles,
    ({ machine, shard }) => machineId ?? JSON.stringify([machine, shard?.current]),
  );
  const times = [...machines.values()].map((files) => files.reduce((sum, file) => sum + computeFileDuration(file), 0));
  return Math.max(0, ...times);
}

/** From first start to last end, or the sum if no start is known. No report takes less than its longest test. */
function computeFileDuration({ milliseconds, instances }: ParsedFile): number {
  const tests = instances.flatMap((instance) => instance.tests);
  const attempts = tests.flatMap((test) => test.attempts);
  const longestDuration = tests.reduce((most, test) => Math.max(most, sumDurations(test.attempts)), 0);
  return Math.max(longestDuration, milliseconds ?? computeBusyTime(attempts) ?? sumDurations(attempts));
}
/** The problems that the run shows. A report has so few of each kind that those of an import fit into a row. */
function listProblems(parsedFiles: readonly ParsedFile[], options: ImportOptions): StoredProblem[] {
  const all = parsedFiles.flatMap(({ name: path, lost, truncated, runErrors, runWarnings }): StoredProblem[] => {
    const file = shortenFileName(path) || null;
    return [
      ...lost.map(({ name, message }) => ({ kind: 'unreadableFile' as const, file: shortenFileName(name), message })),
      ...(truncated ? [{ kind: 'truncatedFile' as const, file, message: TRUNCATED }] : []),
      ...runErrors.map((message) => ({ kind: 'errorOutsideTests' as const, file, message })),
      ...runWarnings.map((message) => ({ kind: 'failuresWithoutTest' as const, file, message })),
    ];
  });
  // Those that keep the run from passing come first, so that many warnings cannot push one out.
  const weight = ({ kind }: StoredProblem): number => (PROBLEMS[kind].failsRun ? 0 : 1);
  const problems = [...listLostFileProblems(options), ...all].toSorted((one, other) => weight(one) - weight(other));
  return problems.slice(0, IMPORT_LIMITS.problems).map(({ message, ...problem }) => ({
    ...problem,
    message: cutText(message, IMPORT_LIMITS.runErrorCharacters),
  }));
}

/** The files that the request names because the service, or the client, could not read them. */
export const listLostFileProblems = ({ unreadable = [] }: Pick<ImportOptions, 'unreadable'>): StoredProblem[] =>
  unreadable.map((file) => ({ kind: 'unreadableFile', file, message: UNREADABLE }));

const TRUNCATED = 'The report is cut. The tests after its end are missing';
const UNREADABLE = 'The report could not be read. Its tests are missing';

const shortenFileName = (path: string): string => path.slice(-IMPORT_LIMITS.fileNameCharacters).toWellFormed();

/** Whether a request has enough time to record the plan. */
export const isQuick = ({ tests, attachments }: ImportPlan): boolean =>
  tests <= IMPORT_LIMITS.testsAtOnce &&
  attachments.length <= IMPORT_LIMITS.attachmentsAtOnce &&
  attachments.reduce((sum, { size }) => sum + size, 0) <= IMPORT_LIMITS.attachmentBytesAtOnce;

const NO_TESTS = {
  line: null,
  message: 'The report has no tests. The run fails unless another of its reports has tests. Check that the tests ran',
};

const UNKNOWN_MACHINE = 'import';

/**
 * A spec file that occurs in several report files is written only once. If several files contain the same test, none of
 * its results replaces another: the second ones of all tests of a spec file become a spec file of their own, and so on.
 */
function mergeInstances(
  parsedFiles: readonly ParsedFile[],
  machineId: string | undefined,
): Pick<ImportPlan, 'instances' | 'attachments'> {
  const entries = new Map<string, { first: PlannedInstance; repetitions: Map<string, ReportedTest>[] }>();
  const attachments: PlannedFile[] = [];
  for (const file of parsedFiles) {
    const repetitionOf = new Map<string, number>();
    for (const instance of file.instances) {
      const key = JSON.stringify([instance.groupId, instance.spec]);
      const first = { ...instance, machineId: machineId ?? file.machine ?? UNKNOWN_MACHINE };
      const entry = entries.get(key) ?? { first, repetitions: [new Map()] };
      for (const test of instance.tests) repetitionOf.set(key + test.testId, addTest(entry.repetitions, test));
      entries.set(key, entry);
    }
    for (const attachment of file.files) {
      const { groupId, spec, testId } = attachment;
      const repetition = repetitionOf.get(JSON.stringify([groupId, spec]) + testId) ?? 0;
      attachments.push({ ...attachment, repetition });
    }
  }
  const all = [...entries.values()].flatMap(({ first, repetitions }) =>
    repetitions.map((tests, repetition) => ({ ...first, repetition, tests: [...tests.values()] })),
  );
  return { instances: [...Map.groupBy(all, (instance) => instance.machineId).values()].flat(), attachments };
}

/** Returns the number of results of the test that were added before. */
function addTest(repetitions: Map<string, ReportedTest>[], test: ReportedTest): number {
  const index = repetitions.findIndex((tests) => !tests.has(test.testId));
  if (index === -1) repetitions.push(new Map([[test.testId, test]]));
  else repetitions[index]?.set(test.testId, test);
  return index === -1 ? repetitions.length - 1 : index;
}

/** The limits on warnings and errors apply to all files together. */
function listImportedFiles(parsedFiles: readonly ParsedFile[]): ImportedFile[] {
  let warnings: number = IMPORT_LIMITS.warnings;
  let errors: number = IMPORT_LIMITS.runErrors;
  return parsedFiles.slice(0, IMPORT_LIMITS.files).map((file) => {
    const shownWarnings = file.warnings.slice(0, warnings);
    const shownErrors = file.runErrors.slice(0, errors);
    [warnings, errors] = [warnings - shownWarnings.length, errors - shownErrors.length];
    return {
      name: shortenFileName(file.name),
      format: file.format,
      dialect: file.dialect,
      specs: file.instances.length,
      tests: countOutcomes(file.instances.flatMap(({ tests }) => tests)),
      attachments: file.files.length,
      truncated: file.truncated,
      duplicates: file.duplicates,
      runErrors: shownErrors.map((text) => text.slice(0, IMPORT_LIMITS.runErrorCharacters).toWellFormed()),
      warnings: shownWarnings.map(({ line, message }) => ({
        line,
        message: message.slice(0, IMPORT_LIMITS.warningCharacters).toWellFormed(),
      })),
    };
  });
}

/** To the first report file: for warnings that name no report file, such as those about attachments. */
export const addWarnings = (
  files: readonly ImportedFile[],
  newWarnings: ImportedFile['warnings'],
): readonly ImportedFile[] =>
  files.map((file, index) =>
    index > 0 ? file : { ...file, warnings: [...file.warnings, ...newWarnings].slice(-IMPORT_LIMITS.warnings) },
  );

function countOutcomes(tests: readonly ReportedTest[]): ImportCounts {
  const count = (outcome: ReportedTest['outcome']) => tests.filter((test) => test.outcome === outcome).length;
  return {
    overall: tests.length,
    passes: count('passed'),
    failures: count('failed'),
    pending: count('pending'),
    skipped: count('skipped'),
    flaky: tests.filter(({ flaky }) => flaky).length,
  };
}
