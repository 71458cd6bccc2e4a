/** Parses report files and plans what to record. Deterministic: the same content gives the same plan. */

import type { ReportedInstance, ReportedTest } from '#shared/ingest/reported.ts';
import type { ImportCounts, ImportedFile, ImportOptions } from '#shared/model/runs/import.ts';
import { REPORT_FORMATS } from '#shared/model/runs/report-format.ts';
import { DEFAULT_GROUP } from '#shared/reports/paths.ts';
import { parseReports } from '#shared/reports/reading/parse-reports.ts';
import type { ReadingLimits } from '#shared/reports/reading-budget.ts';
import type { ByteSource, ParsedFile, ReportedFile } from '#shared/reports/report.ts';
import { IMPORT_LIMITS } from './limits.ts';

/** A spec file with the machine that ran it. */
export interface PlannedInstance extends ReportedInstance {
  readonly machineId: string;
}

export interface ImportPlan {
  readonly parsed: readonly ParsedFile[];
  /** The spec files to record, grouped by machine. */
  readonly instances: readonly PlannedInstance[];
  readonly tests: number;
  readonly attachments: readonly ReportedFile[];
  readonly files: readonly ImportedFile[];
  /** Whether a report is incomplete, or reports an error outside its tests, or the request says that the job failed. */
  readonly jobFailed: boolean;
}

/**
 * Parses the report files and plans what to record. Throws 413 for a report that exceeds the limits in `most`. The
 * default limits are those of the worker that processes the queue.
 */
export async function planImport(
  source: ByteSource,
  options: ImportOptions,
  { now, most }: { readonly now: number; readonly most?: ReadingLimits },
): Promise<ImportPlan> {
  const { name, root, timezone, group = DEFAULT_GROUP } = options;
  const format = REPORT_FORMATS.find((known) => known === options.format);
  const parsed = await parseReports(source, { name, format, root, timezone, group, now, most });
  const instances = mergedInstances(parsed, options.machineId);
  return {
    parsed,
    instances,
    tests: instances.reduce((sum, { tests }) => sum + tests.length, 0),
    attachments: parsed.flatMap(({ files }) => files),
    files: withWarnings(listed(parsed), instances.length === 0 ? [NO_TESTS] : []),
    jobFailed: options.status === 'failed' || parsed.some(isBroken),
  };
}

const NO_TESTS = {
  line: null,
  message: 'The report has no tests. The run fails unless another of its reports has tests. Check that the tests ran',
};

const isBroken = ({ truncated, runErrors }: ParsedFile): boolean => truncated || runErrors.length > 0;

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
