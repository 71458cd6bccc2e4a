/** Throws 404 for an unknown project. Without this check, the totals of the project would just be empty. */
import { notFound } from '#shared/engine/errors.ts';
import { projects } from '#shared/model/organizations/project.ts';
import type { WithTable } from '#shared/services.ts';
import type { AnalyticsScope } from '../read-model.ts';

export async function refuseUnknownProject({ table }: WithTable, scope: AnalyticsScope): Promise<void> {
  if (!(await table.get(projects, scope))) throw notFound('Project');
}

/** An analytics query about one project. */
export interface Asked<Query> extends AnalyticsScope {
  readonly query: Query;
}
