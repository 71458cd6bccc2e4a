/** What the answer about an import says of each report file. */

import type { ReportedTest } from '#shared/ingest/reported.ts';
import type { ImportCounts, ImportedFile } from '#shared/model/runs/import.ts';
import type { ParsedFile } from '#shared/reports/report.ts';
import { IMPORT_LIMITS } from './limits.ts';

export const shortenFileName = (path: string): string => path.slice(-IMPORT_LIMITS.fileNameCharacters).toWellFormed();

/** The limits on warnings and errors apply to all files together. */
export function listImportedFiles(parsedFiles: readonly ParsedFile[]): ImportedFile[] {
  let warnings: number = IMPORT_LIMITS.warnings;
  let errors: number = IMPORT_LIMITS.runErrors;
  return parsedFiles.slice(0, IMPORT_LIMITS.files).map((file) => {
    const shownWarnings = file.warnings.slice(0, warnings);
    const shownErrors = file.runErrors.slice(0, errors);
    warnings -= shownWarnings.length;
    errors -= shownErrors.length;
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
