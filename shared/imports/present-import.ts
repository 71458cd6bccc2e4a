import type * as z from 'zod';
import { formatIsoTime } from '#shared/engine/http/date-time.ts';
import type { Import } from '#shared/model/runs/import.ts';
import { getRunUrl } from '#shared/model/runs/run-url.ts';
import type { ImportAnswer } from './import-wire.ts';

/** An import, or the result of a dry run. */
export type ShownImport = Omit<Import, 'expiresAt' | 'options' | 'state'> & {
  readonly state: Import['state'] | 'read';
};

export function presentImport(origin: string, shownImport: ShownImport): z.input<typeof ImportAnswer> {
  const { organizationId, projectId, importId, state, runId, ciBuildId } = shownImport;
  const { progress, problem, files, quarantine } = shownImport;
  return {
    importId,
    projectId,
    state,
    runId: runId ?? null,
    ciBuildId: ciBuildId ?? null,
    runUrl: runId === undefined ? null : getRunUrl(origin, { organizationId, projectId, runId }),
    createdAt: formatIsoTime(shownImport.createdAt),
    changedAt: formatIsoTime(shownImport.changedAt),
    problem: problem ?? null,
    progress: {
      specs: { recorded: progress.specs, overall: progress.ofSpecs },
      tests: { recorded: progress.tests, overall: progress.ofTests },
    },
    files: files.map((file) => ({ ...file, runErrors: [...file.runErrors], warnings: [...file.warnings] })),
    quarantine: quarantine && {
      ...quarantine,
      others: [...quarantine.others],
      problems: [...quarantine.problems],
    },
  };
}
