/** Ids of imports and of their builds, the values of an import's row, and the audit record of an import. */
import { digest } from '#shared/engine/table/keys.ts';
import { runIdOf } from '#shared/model/ids.ts';
import type { ProjectRecord } from '#shared/model/organizations/project.ts';
import type { Import, ImportOptions } from '#shared/model/runs/import.ts';
import { IMPORT_LIMITS } from './limits.ts';
import type { ImportPlan } from './plan-import.ts';

const IMPORT_CHARACTERS = 24;
const BUILD_CHARACTERS = 16;
const REQUEST_CHARACTERS = 16;

interface Sent {
  readonly organizationId: string;
  readonly projectId: string;
  readonly options: ImportOptions;
  /** The digest of the report file. */
  readonly content: string;
}

/** The id of an import. Sending the same file with the same options again gives the same id. */
export const importIdOf = ({ organizationId, projectId, options, content }: Sent): string =>
  digest(IMPORT_CHARACTERS, organizationId, projectId, described(options), content);

/**
 * The build id of an import. If neither the options nor the report name one, it is derived from the file and the
 * options.
 */
const buildOf = ({ options, content }: Sent, plan?: ImportPlan): string =>
  options.ciBuildId ??
  plan?.parsed.find(({ ciBuildId }) => ciBuildId)?.ciBuildId ??
  `import-${digest(BUILD_CHARACTERS, described(options), content)}`;

/** The request key with which the import joins its run and claims spec files. */
export const importKeyOf = (sent: Sent): string => digest(REQUEST_CHARACTERS, 'import', importIdOf(sent));

/**
 * Describes the options of an import as part of its id. Leaves out `complete`, so that a file has the same import id
 * whether its import ends the run or keeps it open. Sorts the options, because the table may return them in any order.
 */
const described = ({ complete, ...options }: ImportOptions): string =>
  JSON.stringify(
    Object.entries(options)
      .filter(([, value]) => value !== undefined)
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  );

const NOTHING = { specs: 0, tests: 0, ofSpecs: 0, ofTests: 0 };

type Known = Pick<Import, 'organizationId' | 'projectId' | 'importId' | 'options' | 'state' | 'createdAt'>;

export const newImport = (known: Known & Partial<Import>): Import => ({
  changedAt: known.createdAt,
  files: [],
  progress: NOTHING,
  expiresAt: Math.ceil(known.createdAt / 1000) + IMPORT_LIMITS.keptDays * SECONDS_A_DAY,
  ...known,
});
const SECONDS_A_DAY = 86_400;

/**
 * The audit record of an import. Its label is the name of the report file, or else the build id, or else the import id.
 */
export const importRecord = <Name extends 'import link created' | 'report uploaded'>(
  action: Name,
  { organizationId, importId, projectId, options: { name, ciBuildId } }: Known,
  project: Pick<ProjectRecord, 'name'>,
) => ({
  organizationId,
  action,
  subject: importId,
  label: name || ciBuildId || importId,
  detail: `project ${project.name} (${projectId})`,
});

/** The attributes of an import's row that are known once its report is parsed. */
export const plannedFacts = (sent: Sent, plan: ImportPlan) => {
  const ciBuildId = buildOf(sent, plan);
  const { organizationId, projectId, content } = sent;
  return { ciBuildId, runId: runIdOf({ organizationId, projectId, ciBuildId }), content, files: plan.files };
};

/** The progress of an import after `recorded` spec files have been recorded. */
export const progressOf = ({ instances, tests }: ImportPlan, recorded: number): Import['progress'] => ({
  specs: recorded,
  tests: instances.slice(0, recorded).reduce((sum, instance) => sum + instance.tests.length, 0),
  ofSpecs: instances.length,
  ofTests: tests,
});
