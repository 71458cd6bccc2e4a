import * as z from 'zod';
import { pageFormat } from '#shared/engine/http/csv.ts';
import { cursorPageOf, wrapOk } from '#shared/engine/http/envelope.ts';
import { cursorQuery, suggestSmallerPage } from '#shared/engine/http/pagination.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { RESULT_LIMITS } from '#shared/results/limits.ts';
import { makeTermsFile } from '#shared/results/runs/csv-files.ts';
import { listTerms } from '#shared/results/runs/list-terms.ts';
import { TermItem, TermTypeName, termsQuery } from '#shared/results/runs/terms-wire.ts';

/** §4.4.7 The tags, branches, authors and other values that runs of a project have had. */
export const handler = endpoint({
  operationId: 'listTerms',
  route: 'GET /projects/{projectId}/terms/{termType}',
  permission: 'projects:read',
  access: { table: 'read', artifacts: 'none' },
  summary: 'List the terms of one type of a project, such as tags, branches or authors, sorted by last use',
  path: { termType: TermTypeName },
  query: z.object({ ...cursorQuery(RESULT_LIMITS.termsPage), ...termsQuery, format: pageFormat() }),
  response: cursorPageOf(TermItem).extend({
    truncated: z.boolean().meta({
      description: `Whether the project has more than ${RESULT_LIMITS.termsRead} values. If so, only those whose text sorts first are included`,
    }),
  }),
  content: ['csv'],
  limit: suggestSmallerPage,
  refuses: ['notFound'],
  tool: {
    description:
      'Use it to learn which branches, tags, groups or authors exist before you filter by them. Needs `projectId` from list_projects.',
    without: { format: 'Tools answer with JSON' },
    next: 'list_runs with the value as a filter.',
  },
  async handle({ caller, path: { termType }, query }, services) {
    // It is valid already: this only narrows its type, because endpoints see each path parameter as a text.
    const type = TermTypeName.parse(termType);
    const page = await listTerms(services, { ...caller, termType: type, query });
    return query.format === 'csv' ? makeTermsFile(page) : wrapOk(page);
  },
});
