/**
 * Since when the terms of a project tell the times of executions. Each execution that was recorded at or after this time
 * is within the times of the terms of its branch and its author (`ingest/extend-terms.ts`), unless these terms have ended.
 */
import type { Entity } from '#shared/engine/table/entity.ts';
import { composeKey } from '#shared/engine/table/keys.ts';
import { loadAttributes, toAttributes } from '#shared/engine/table/stored.ts';
import type { ProjectKey } from '#shared/model/keys.ts';

/** In epoch milliseconds. */
export interface KnownTerms extends ProjectKey {
  readonly branchesSince: number;
  /** Later than for branches if an author was erased, because their terms are deleted. */
  readonly authorsSince: number;
}

export const knownTerms: Entity<ProjectKey, KnownTerms> = {
  type: 'known terms',
  guarded: false,
  removal: 'apart',
  patterns: [{ question: 'Since when the terms of a project tell the times of executions' }],
  key: ({ organizationId, projectId }) => ({ pk: composeKey('TERMS', organizationId, projectId), sk: 'KNOWN' }),
  store: toAttributes,
  load: loadAttributes,
};
