import * as z from 'zod';
import { cursorPageOf, ok } from '#shared/engine/http/envelope.ts';
import { cursorQuery, smallerPage } from '#shared/engine/http/pagination.ts';
import { id } from '#shared/model/names.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { RESULT_LIMITS } from '#shared/results/limits.ts';
import { listTerms } from '#shared/results/list-terms.ts';
import { TermItem, TermTypeName, termsQuery } from '#shared/results/terms-wire.ts';

/** §4.4 */
export const handler = endpoint({
  operationId: 'listTerms',
  route: 'GET /projects/{projectId}/terms/{termType}',
  permission: 'projects:read',
  access: { table: 'read', artifacts: 'none' },
  summary: 'List the tags, branches, authors and so on of a project, by their last use',
  path: { projectId: id, termType: TermTypeName },
  query: z.object({ ...cursorQuery(RESULT_LIMITS.termsPage), ...termsQuery }),
  response: cursorPageOf(TermItem),
  limit: smallerPage,
  refuses: ['notFound'],
  tool: {
    description:
      'Use it to learn which branches, tags, groups or authors exist, before you filter by them. Needs `projectId` from list_projects.',
    next: 'list_runs with the value as a filter.',
  },
  async handle({ actor: { organizationId }, path: { projectId, termType }, query }, services) {
    const type = TermTypeName.parse(termType);
    return ok(await listTerms(services, { organizationId, projectId, termType: type, query }));
  },
});
