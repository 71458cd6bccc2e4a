/** Plans what to record of a parsed report. Deterministic: the same content gives the same plan. */

import type { ReportedInstance, ReportedTest } from '#shared/ingest/reported.ts';
import type { ImportCounts, ImportedFile, ImportOptions } from '#shared/model/runs/import.ts';
import type { ParsedFile, ReportedFile } from '#shared/reports/report.ts';
import { IMPORT_LIMITS } from './limits.ts';

/** A spec file with the machine that ran it. */
export interface PlannedInstance extends ReportedInstance {
  readonly machineId: string;
}

export interface ImportPlan {
  readonly ciBuildId: string;
  readonly parsed: readonly ParsedFile[];
  /** The spec files to record, grouped by machine. */
  readonly instances: readonly PlannedInstance[];
  readonly tests: number;
  readonly attachments: readonly ReportedFile[];
  readonly files: readonly ImportedFile[];
  /** Whether a report is incomplete, or reports an error outside its tests, or the request says that the job failed. */
  readonly jobFailed: boolean;
}

/** `ownBuildId`: the build id for the case that neither the options nor the report name one. */
export function planImport(
  parsed: readonly ParsedFile[],
  { options, ownBuildId }: { readonly options: ImportOptions; readonly ownBuildId: string },
): ImportPlan {
  const instances = mergedInstances(parsed, options.machineId);
  return {
    ciBuildId: options.ciBuildId ?? parsed.find(({ ciBuildId }) => ciBuildId)?.ciBuildId ?? ownBuildId,
    parsed,
    instances,
    tests: instances.reduce((sum, { tests }) => sum + tests.length, 0),
    attachments: parsed.flatMap(({ files }) => files),
    files: withWarnings(listed(parsed), instances.length === 0 ? [NO_TESTS] : []),
    jobFailed:
      options.status === 'failed' || parsed.some(({ truncated, runErrors }) => truncated || runErrors.length > 0),
  };
}

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
 * Merges the results of all report files, so that the rows of a spec file that occurs in several report files are
 * written only once. If a test has several results, the last one counts.
 */
function mergedInstances(parsed: readonly ParsedFile[], machineId: string | undefined): PlannedInstance[] {
  const merged = new Map<string, { first: PlannedInstance; tests: Map<string, ReportedTest> }>();
  for (const file of parsed) {
    for (const instance of file.instances) {
      const key = JSON.stringify([instance.groupId, instance.spec]);
      const first = { ...instance, machineId: machineId ?? file.machine ?? UNKNOWN_MACHINE };
      const known = merged.get(key) ?? { first, tests: new Map() };
      for (const test of instance.tests) known.tests.set(test.testId, test);
      merged.set(key, known);
    }
  }
  const all = [...merged.values()].map(({ first, tests }) => ({ ...first, tests: [...tests.values()] }));
  return [...Map.groupBy(all, (instance) => instance.machineId).values()].flat();
}

/**
 * The list of report files for the response about the import. The limits on warnings and errors apply to all files
 * together.
 */
function listed(parsed: readonly ParsedFile[]): ImportedFile[] {
  let warnings: number = IMPORT_LIMITS.warnings;
  let errors: number = IMPORT_LIMITS.runErrors;
  return parsed.slice(0, IMPORT_LIMITS.files).map((file) => {
    const shownWarnings = file.warnings.slice(0, warnings);
    const shownErrors = file.runErrors.slice(0, errors);
    [warnings, errors] = [warnings - shownWarnings.length, errors - shownErrors.length];
    return {
      name: file.name.slice(-IMPORT_LIMITS.fileNameCharacters).toWellFormed(),
      format: file.format,
      dialect: file.dialect,
      specs: file.instances.length,
      tests: countsOf(file.instances.flatMap(({ tests }) => tests)),
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

/**
 * Adds warnings to the first report file. Used for warnings that name no report file, such as those about attachments.
 */
export const withWarnings = (
  files: readonly ImportedFile[],
  added: ImportedFile['warnings'],
): readonly ImportedFile[] =>
  files.map((file, index) =>
    index > 0 ? file : { ...file, warnings: [...file.warnings, ...added].slice(-IMPORT_LIMITS.warnings) },
  );

function countsOf(tests: readonly ReportedTest[]): ImportCounts {
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
