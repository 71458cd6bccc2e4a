/**
 * A day of a project whose executions were exported as a Parquet file. The row is written before the file is stored
 * below `exports/`, so that a removal finds every file. Access patterns: by day; all days of a project.
 */
import { type Entity, wholePartition } from '#shared/engine/table/entity.ts';
import { composed } from '#shared/engine/table/keys.ts';
import { stored } from '#shared/engine/table/stored.ts';
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

const partition = ({ organizationId, projectId }: ProjectKey) => composed('EXPORTS', organizationId, projectId);

export const exportedDays: Entity<DayOfProject, ExportedDay> = {
  type: 'exported day',
  guarded: false,
  removal: 'apart',
  patterns: [{ question: 'Exported days of a project', key: 'pk = EXPORTS#org#project, sk = DAY#day' }],
  key: (of) => ({ pk: partition(of), sk: composed('DAY', of.day) }),
  // The row does not expire with the runs, because the object must be removed before it.
  store: ({ endsAt, ...row }) => ({ ...row, runsEndAt: endsAt }),
  load: (row) => {
    const { runsEndAt: endsAt, ...day } = stored<Stored>(row);
    return { ...day, endsAt };
  },
};

interface Stored extends Omit<ExportedDay, 'endsAt'> {
  readonly runsEndAt?: number;
}

export const exportedDaysOf = (project: ProjectKey) => wholePartition(partition(project));

/** The folder of all exports in the artifacts bucket. */
export const EXPORTS = 'exports';

/**
 * The path of the file of a day, relative to the folder `exports`. Athena and DuckDB read the project and the day from
 * the names of the folders.
 */
export const partitionPath = ({ day, ...project }: DayOfProject): string =>
  `${projectFolder(project)}/day=${day}/part-0.parquet`;

/** The folder of all days of a project. */
export const projectFolder = ({ organizationId, projectId }: ProjectKey): string =>
  `${organizationId}/project=${projectId}`;

export const exportKey = (of: DayOfProject): string => `${EXPORTS}/${partitionPath(of)}`;

const PATH = /^([^/]+)\/project=([^/]+)\/day=(\d{4}-\d\d-\d\d)\/part-0\.parquet$/;

/** The inverse of `partitionPath`. Returns `undefined` for any other path. */
export function dayOfPath(path: string): DayOfProject | undefined {
  const [, organizationId, projectId, day] = PATH.exec(path) ?? [];
  return organizationId && projectId && day ? { organizationId, projectId, day } : undefined;
}

/** Returns the day that an object key belongs to, or `undefined` if it is not the key of an export. */
export const dayOfExport = (key: string): DayOfProject | undefined =>
  key.startsWith(`${EXPORTS}/`) ? dayOfPath(key.slice(EXPORTS.length + 1)) : undefined;
