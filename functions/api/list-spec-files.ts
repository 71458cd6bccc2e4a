import * as z from 'zod';
import { buildSpecFilesFile } from '#shared/analytics/metrics/csv-files.ts';
import { describeSmallerAnswer } from '#shared/analytics/metrics/page-wire.ts';
import { readAllSpecFiles, readSpecFiles } from '#shared/analytics/metrics/read-spec-files.ts';
import { SpecFilesList, specFilesQuery } from '#shared/analytics/metrics/spec-files-wire.ts';
import { single, wrapData } from '#shared/engine/http/envelope.ts';
import { endpoint } from '#shared/platform/endpoint.ts';

/** §4.4.5 */
export const handler = endpoint({
  operationId: 'listSpecFiles',
  route: 'GET /spec-files/{projectId}',
  permission: 'analytics:read',
  access: { table: 'read', artifacts: 'none' },
  summary: 'List the spec files of a project with their metrics',
  query: z.object(specFilesQuery),
  response: single(SpecFilesList),
  content: ['csv'],
  limit: describeSmallerAnswer,
  refuses: ['notFound'],
  tool: {
    description:
      'Use it for the slowest or most failing spec files. Default range: the last 30 days. Needs `projectId` from list_projects.',
    rangeDays: 30,
    defaults: { limit: 10 },
    without: { format: 'Tools answer with JSON' },
    next: 'list_tests with `spec` for the tests of one spec file.',
  },
  async handle({ caller, query }, services) {
    const request = { ...caller, query };
    if (query.format === 'csv') return buildSpecFilesFile(await readAllSpecFiles(services, request));
    return wrapData(await readSpecFiles(services, request));
  },
});
