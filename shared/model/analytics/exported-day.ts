/** A day of a project whose executions were exported. Its row precedes the file, so that a removal finds every file. */
import { type Entity, getPartitionSpan } from '#shared/engine/table/entity.ts';
import { composeKey } from '#shared/engine/table/keys.ts';
import { loadAttributes } from '#shared/engine/table/stored.ts';
import type { ProjectKey } from '#shared/model/keys.ts';

export interface DayOfProject extends ProjectKey {
  /** The UTC day on which the runs were created, such as `2026-11-27`. */
  readonly day: string;
}

export interface ExportedDay extends DayOfProject {
  /** A random id of the attempt that wrote the row. */
  readonly writer: string;
  /** A digest of the data from which the object was made. Absent if the object must be written, or written again. */
  readonly content?: string;
  /** The number of executions in the object. Without executions, there is no object. */
  readonly rows: number;
  readonly bytes: number;
  /** When the first of the exported runs expires, in epoch seconds. Absent if none does. */
  readonly endsAt?: number | undefined;
}

const getPartition = ({ organizationId, projectId }: ProjectKey) => composeKey('EXPORTS', organizationId, projectId);

export const exportedDays: Entity<DayOfProject, ExportedDay> = {
  type: 'exported day',
  guarded: false,
  removal: 'apart',
  patterns: [{ question: 'Exported days of a project' }],
  key: (row) => ({ pk: getPartition(row), sk: composeKey('DAY', row.day) }),
  // The row does not expire with the runs, because the object must be removed before it.
  store: ({ endsAt, ...row }) => ({ ...row, runsEndAt: endsAt }),
  load: (row) => {
    const { runsEndAt: endsAt, ...day } = loadAttributes<StoredExportedDay>(row);
    return { ...day, endsAt };
  },
};

interface StoredExportedDay extends Omit<ExportedDay, 'endsAt'> {
  readonly runsEndAt?: number;
}

export const getExportedDaysSpan = (project: ProjectKey) => getPartitionSpan(getPartition(project));

export const EXPORTS = 'exports';

/** Relative to the folder `exports`. Athena and DuckDB read the project and the day from the names of folders. */
export const getExportPath = ({ day, ...project }: DayOfProject): string =>
  `${getProjectFolder(project)}/day=${day}/part-0.parquet`;

/** The folder of all days of a project. */
export const getProjectFolder = ({ organizationId, projectId }: ProjectKey): string =>
  `${organizationId}/project=${projectId}`;

export const getExportKey = (key: DayOfProject): string => `${EXPORTS}/${getExportPath(key)}`;

const PATH = /^([^/]+)\/project=([^/]+)\/day=(\d{4}-\d\d-\d\d)\/part-0\.parquet$/;

/** The inverse of `getExportPath`. Returns `undefined` for any other path. */
export function parseExportPath(path: string): DayOfProject | undefined {
  const [, organizationId, projectId, day] = PATH.exec(path) ?? [];
  return organizationId && projectId && day ? { organizationId, projectId, day } : undefined;
}

/** Returns `undefined` if the key is not that of an export. */
export const parseExportKey = (key: string): DayOfProject | undefined =>
  key.startsWith(`${EXPORTS}/`) ? parseExportPath(key.slice(EXPORTS.length + 1)) : undefined;
