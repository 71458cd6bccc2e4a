/** The current edition of a project's read model. Access pattern: by project. */
import type { Entity } from '#shared/engine/table/entity.ts';
import { composed } from '#shared/engine/table/keys.ts';
import { stored } from '#shared/engine/table/stored.ts';
import type { Run } from './run.ts';

type Project = Pick<Run, 'organizationId' | 'projectId'>;

export interface AnalyticsEpoch extends Project {
  /** A rebuild writes another edition and then changes this number. */
  readonly epoch: number;
}

export const analyticsEpochs: Entity<Project, AnalyticsEpoch> = {
  type: 'analytics epoch',
  guarded: false,
  removal: 'apart',
  patterns: [{ question: "The edition of a project's read model", key: 'pk = ANALYTICS#org#project, sk = EPOCH' }],
  key: ({ organizationId, projectId }) => ({ pk: composed('ANALYTICS', organizationId, projectId), sk: 'EPOCH' }),
  store: (row) => ({ ...row }),
  load: (row) => stored<AnalyticsEpoch>(row),
};
