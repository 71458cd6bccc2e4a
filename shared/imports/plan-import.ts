/** Plans what to record of a parsed report. Deterministic: the same content gives the same plan. */

import { cutText } from '#shared/engine/cut-text.ts';
import { computeBusyTime, sumDurations } from '#shared/model/results/attempt.ts';
import type { AppliedRule } from '#shared/model/rules/rule.ts';
import type { ImportOptions } from '#shared/model/runs/import.ts';
import type { StoredProblem } from '#shared/model/runs/run-problem.ts';
import type { ParsedFile, RenamedTest } from '#shared/reports/report.ts';
import { PROBLEMS } from '#shared/results/runs/problem-wire.ts';
import { buildCommit } from './build-commit.ts';
import type { ImportPlan } from './import-plan.ts';
import { addWarnings, listImportedFiles, shortenFileName } from './imported-files.ts';
import { IMPORT_LIMITS } from './limits.ts';
import { mergeInstances } from './merge-instances.ts';
import { applyQuarantines, hashRules } from './quarantine.ts';

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
            quarantine: { ...result.failures, problems: listReasonsForDoubt(parsedFiles, problems) },
            rules: hashRules(quarantines),
          }
        : {},
    jobFailed: options.status === 'failed' || problems.some(({ kind }) => PROBLEMS[kind].failsRun),
  };
}

/** Why the report may not have all failures. */
function listReasonsForDoubt(parsedFiles: readonly ParsedFile[], problems: readonly StoredProblem[]): string[] {
  const reasons = problems.slice(0, IMPORT_LIMITS.runErrors).map(({ message }) => message);
  if (parsedFiles.some((file) => file.instances.length === 0)) reasons.push('A report has no tests');
  return reasons;
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
    const problems: StoredProblem[] = lost.map(({ name, message }) => ({
      kind: 'unreadableFile',
      file: shortenFileName(name),
      message,
    }));
    if (truncated) problems.push({ kind: 'truncatedFile', file, message: TRUNCATED });
    for (const message of runErrors) problems.push({ kind: 'errorOutsideTests', file, message });
    for (const message of runWarnings) problems.push({ kind: 'failuresWithoutTest', file, message });
    return problems;
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

/** Whether a request has enough time to record the plan. */
export const isQuick = ({ tests, attachments }: ImportPlan): boolean =>
  tests <= IMPORT_LIMITS.testsAtOnce &&
  attachments.length <= IMPORT_LIMITS.attachmentsAtOnce &&
  attachments.reduce((sum, { size }) => sum + size, 0) <= IMPORT_LIMITS.attachmentBytesAtOnce;

const NO_TESTS = {
  line: null,
  message: 'The report has no tests. The run fails unless another of its reports has tests. Check that the tests ran',
};
