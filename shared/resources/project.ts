/** A project of an organization. Asked for: by id; newest first within its organization. */
import * as z from 'zod';
import { beginningWith, type Entity } from '../table/entity.ts';
import { composed, instantKey, prefix } from '../table/keys.ts';
import { stored } from '../table/stored.ts';

export const Project = z
  .object({
    projectId: z.string(),
    name: z.string(),
    createdAt: z.string().meta({ format: 'date-time' }),
    inactivityTimeoutSeconds: z.int().meta({ description: 'A run without reports for this long times out' }),
    failFast: z.boolean(),
    defaultBranchName: z.string(),
  })
  .meta({ id: 'Project' });

export interface ProjectRecord {
  readonly organizationId: string;
  readonly projectId: string;
  readonly name: string;
  /** Milliseconds. */
  readonly createdAt: number;
  readonly inactivityTimeoutSeconds: number;
  readonly failFast: boolean;
  readonly defaultBranchName: string;
  /** How many it has, so that parallel requests cannot make more than there may be; absent: none yet. */
  readonly webhookCount?: number;
}

export const projects: Entity<Pick<ProjectRecord, 'organizationId' | 'projectId'>, ProjectRecord> = {
  type: 'project',
  patterns: [{ question: 'A project by id', key: 'pk = PROJECT#org#project, sk = PROJECT' }],
  key: ({ organizationId, projectId }) => ({ pk: composed('PROJECT', organizationId, projectId), sk: 'PROJECT' }),
  store: (project) => ({ ...project }),
  load: (row) => stored<ProjectRecord>(row),
};

type Listed = Pick<ProjectRecord, 'organizationId' | 'projectId' | 'createdAt'>;

/** A pointer: the record itself stands once, under its id. */
export const projectsOfOrganization: Entity<Listed, Listed> = {
  type: 'project, listed',
  patterns: [
    { question: 'Projects of an organization, newest first', key: 'pk = PROJECTS#org, sk = PROJECT#createdAt#project' },
  ],
  key: ({ organizationId, projectId, createdAt }) => ({
    pk: composed('PROJECTS', organizationId),
    sk: composed('PROJECT', instantKey(createdAt), projectId),
  }),
  store: ({ organizationId, projectId, createdAt }) => ({ organizationId, projectId, createdAt }),
  load: (row) => stored<Listed>(row),
};

export const projectsSpan = ({ organizationId }: Pick<ProjectRecord, 'organizationId'>) =>
  beginningWith(composed('PROJECTS', organizationId), prefix('PROJECT'));

export const presentProject = ({ createdAt, webhookCount, ...project }: ProjectRecord): z.infer<typeof Project> => ({
  ...project,
  createdAt: new Date(createdAt).toISOString(),
});
