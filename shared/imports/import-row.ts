/** The row of an import: its id, its values, and how it is stored. Also stores the files of queued imports. */

import { type Correlation, pickCorrelation } from '#shared/engine/correlation.ts';
import { DAY_SECONDS } from '#shared/engine/durations.ts';
import { computeDigest } from '#shared/engine/table/keys.ts';
import { deriveRunId } from '#shared/model/ids.ts';
import type { ProjectRecord } from '#shared/model/organizations/project.ts';
import { getImportKey, type Import, type ImportOptionsOfTry, imports } from '#shared/model/runs/import.ts';
import type { Services } from '#shared/services.ts';
import type { ImportPlan } from './import-plan.ts';
import { IMPORT_LIMITS } from './limits.ts';
import { hashContent } from './read-report.ts';

export const IMPORT_CHARACTERS = 24;
const BUILD_CHARACTERS = 16;

/** A report in the body of a request. */
export interface SentReport {
  readonly organizationId: string;
  readonly projectId: string;
  readonly options: ImportOptionsOfTry;
  readonly file: Uint8Array;
}

/** Identifies a report by its content and its options, so that a repeated import is recognized. */
export interface Identity {
  /** The digest of the report file. */
  readonly content: string;
  /** The id of the import. Imports through an upload link have another id. */
  readonly contentId: string;
  /** The build id of the import, if neither the options nor the report name one. */
  readonly ownBuildId: string;
}

export function computeIdentity(
  { organizationId, projectId, options }: Omit<SentReport, 'file'>,
  content: string,
): Identity {
  const optionsText = serializeOptions(options);
  return {
    content,
    contentId: computeDigest(IMPORT_CHARACTERS, organizationId, projectId, optionsText, content),
    ownBuildId: `import-${computeDigest(BUILD_CHARACTERS, optionsText, content)}`,
  };
}

/**
 * Leaves out what follows from other options, and `complete`, so that a file has the same import id whether its import
 * ends the run or keeps it open. Sorts the options, because the table may return them in any order.
 */
const serializeOptions = ({ complete, tryOf, firstTry, origin, ...options }: ImportOptionsOfTry): string =>
  JSON.stringify(
    Object.entries(options)
      .filter(([, value]) => value !== undefined)
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  );

export type IdentifiedReport = SentReport & Identity & { readonly importId: string };

export function identifyReport(report: SentReport): IdentifiedReport {
  const identity = computeIdentity(report, hashContent(report.file));
  return { ...report, ...identity, importId: identity.contentId };
}

const NOTHING = { specs: 0, tests: 0, ofSpecs: 0, ofTests: 0 };
type ImportDescription = Pick<Import, 'organizationId' | 'projectId' | 'importId' | 'options'>;

export function buildImport(
  { now, ...cause }: Pick<Services, 'now'> & Correlation,
  { organizationId, projectId, importId, options }: ImportDescription,
): Import {
  const createdAt = now();
  return {
    organizationId,
    projectId,
    importId,
    options,
    state: 'waiting',
    createdAt,
    changedAt: createdAt,
    files: [],
    progress: NOTHING,
    expiresAt: Math.ceil(createdAt / 1000) + IMPORT_LIMITS.keptDays * DAY_SECONDS,
    ...pickCorrelation(cause),
  };
}

/** The attributes of an import's row that are known once its report is parsed. */
export const derivePlannedFacts = (
  { organizationId, projectId, content }: Pick<Import, 'organizationId' | 'projectId'> & Pick<Identity, 'content'>,
  plan: ImportPlan,
) => ({
  ciBuildId: plan.ciBuildId,
  runId: deriveRunId({ organizationId, projectId, ciBuildId: plan.ciBuildId }),
  content,
  files: plan.files,
  progress: computeProgress(plan, 0),
  ...plan.quarantine,
});

export const computeProgress = ({ instances, tests }: ImportPlan, recordedSpecs: number): Import['progress'] => ({
  specs: recordedSpecs,
  tests: instances.slice(0, recordedSpecs).reduce((sum, instance) => sum + instance.tests.length, 0),
  ofSpecs: instances.length,
  ofTests: tests,
});

/** Stores the row of an import. A repeated import keeps the `createdAt` of the first import. */
export async function storeImport(
  services: Services,
  description: ImportDescription,
  facts: Partial<Import>,
  store = storeRow,
): Promise<Import> {
  const newRow = buildImport(services, description);
  const storedRow = await services.table.get(imports, newRow, { consistent: true });
  const row = { ...newRow, ...facts, createdAt: storedRow?.createdAt ?? newRow.createdAt };
  await store(services, row);
  return row;
}

/** Calls `store` to write the row before it stores the file, because storing the file notifies the queue. */
export async function queueImport(
  services: Services,
  report: ImportDescription & Pick<SentReport, 'file'>,
  facts: Partial<Import> = {},
  store = storeRow,
): Promise<Import> {
  const row = await storeImport(services, report, facts, store);
  await services.artifacts.put(getImportKey(row), report.file, 'application/octet-stream');
  return row;
}

/** Writes the row of an import. An import by a script changes no settings, so it is not recorded in the audit log. */
const storeRow = (services: Services, row: Import): Promise<unknown> => services.table.put(imports, row);

export const buildAuditRecord = <Name extends 'import link created' | 'report uploaded'>(
  action: Name,
  { organizationId, importId, projectId, options: { name, ciBuildId } }: ImportDescription,
  project: Pick<ProjectRecord, 'name'>,
) => ({
  organizationId,
  action,
  subject: importId,
  label: name || ciBuildId || importId,
  detail: `project ${project.name} (${projectId})`,
});
