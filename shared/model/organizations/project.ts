/** A project of an organization. */
import * as z from 'zod';
import { type Entity, getPrefixSpan } from '#shared/engine/table/entity.ts';
import { composeKey, composePrefix, encodeInstant } from '#shared/engine/table/keys.ts';
import { loadAttributes, pick, toAttributes } from '#shared/engine/table/stored.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { type Retention, type RetentionSetting, resolveRetention } from '#shared/model/runs/retention.ts';

const { minimum, maximum } = MODEL_LIMITS.retentionDays;
const days = (what: string) =>
  z
    .int()
    .min(minimum)
    .max(maximum)
    .nullable()
    .meta({ description: `Days that ${what} are kept; null means forever` });

const RetentionSchema = z
  .object({
    resultsDays: days('runs with their tests and history'),
    evidenceDays: days('steps, output and trace analyses of failed tests'),
    filesDays: days('traces, screenshots, videos and attachments'),
  })
  .meta({ id: 'Retention', description: 'The retention of runs that are created from now on' });

export const Project = z
  .object({
    projectId: z.string(),
    name: z.string(),
    createdAt: z.string().meta({ format: 'date-time' }),
    inactivityTimeoutSeconds: z.int().meta({ description: 'A run without reports for this long times out' }),
    failFast: z.boolean(),
    defaultBranchName: z.string(),
    retention: RetentionSchema,
    gateNewFailures: z.boolean().meta({ description: 'Whether the gate of a commit fails for new failures' }),
    gateMissingTests: z.boolean().meta({ description: 'Whether the gate of a commit fails for missing tests' }),
    tags: z.array(z.string()).meta({ description: 'Labels of the project, such as the team that owns it' }),
    deletesAt: z
      .string()
      .optional()
      .meta({ format: 'date-time', description: 'When the deleted project and its data are removed' }),
  })
  .meta({ id: 'Project' });

export interface ProjectRecord extends ProjectKey {
  readonly name: string;
  /** Creation time, in epoch milliseconds. */
  readonly createdAt: number;
  readonly inactivityTimeoutSeconds: number;
  readonly failFast: boolean;
  readonly defaultBranchName: string;
  /** The retention setting of the project. Absent for projects that were created before this setting existed. */
  readonly retention?: RetentionSetting;
  /** Labels that people set. Absent for projects that were created before tags existed. */
  readonly tags?: readonly string[];
  /** The rules of the gate. Absent for projects that were created before the gate existed. */
  readonly gateNewFailures?: boolean;
  readonly gateMissingTests?: boolean;
  /**
   * When the project and its data are removed, in epoch milliseconds. Absent unless somebody deleted the project. Until
   * then, it can be read and restored, and records no new runs.
   */
  readonly deletesAt?: number;
  /** Stored so that concurrent requests cannot exceed the limit. Absent before the first webhook. */
  readonly webhookCount?: number;
}

export const projects: Entity<ProjectKey, ProjectRecord> = {
  type: 'project',
  guarded: false,
  removal: 'apart',
  patterns: [{ question: 'A project by id' }],
  key: ({ organizationId, projectId }) => ({ pk: composeKey('PROJECT', organizationId, projectId), sk: 'PROJECT' }),
  store: toAttributes,
  load: loadAttributes,
};

type ProjectEntry = Pick<ProjectRecord, 'organizationId' | 'projectId' | 'createdAt'>;

/** The project itself is stored once, under its id. */
export const projectsOfOrganization: Entity<ProjectEntry, ProjectEntry> = {
  type: 'project, listed',
  guarded: false,
  removal: 'apart',
  patterns: [{ question: 'Projects of an organization, newest first' }],
  key: ({ organizationId, projectId, createdAt }) => ({
    pk: composeKey('PROJECTS', organizationId),
    sk: composeKey('PROJECT', encodeInstant(createdAt), projectId),
  }),
  store: pick('organizationId', 'projectId', 'createdAt'),
  load: loadAttributes,
};

export const getProjectsSpan = ({ organizationId }: Pick<ProjectRecord, 'organizationId'>) =>
  getPrefixSpan(composeKey('PROJECTS', organizationId), composePrefix('PROJECT'));

export const presentProject = (
  {
    createdAt,
    deletesAt,
    webhookCount,
    retention,
    tags = [],
    gateNewFailures = false,
    gateMissingTests = false,
    ...project
  }: ProjectRecord,
  byDefault: Retention,
): z.infer<typeof Project> => ({
  ...project,
  retention: resolveRetention(retention, byDefault),
  tags: [...tags],
  gateNewFailures,
  gateMissingTests,
  createdAt: new Date(createdAt).toISOString(),
  deletesAt: deletesAt === undefined ? undefined : new Date(deletesAt).toISOString(),
});
