import { findBuild } from '#shared/access/actor.ts';
import { single, wrapData } from '#shared/engine/http/envelope.ts';
import { bindImport } from '#shared/imports/bind-import.ts';
import { ImportLink, LinkQuery } from '#shared/imports/import-wire.ts';
import { requestLink } from '#shared/imports/request-link.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { imports } from '#shared/model/runs/import.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { requireOwnBuildInQuery } from '#shared/recording/own-build.ts';

export const handler = endpoint({
  operationId: 'createImportLink',
  route: 'POST /projects/{projectId}/imports/links',
  permission: 'record',
  access: { table: 'readWrite', writes: [imports, auditRecords], artifacts: 'submit' },
  summary: 'Get a link to upload a large report',
  description:
    'Takes the query parameters of `POST /projects/{projectId}/imports`, except `dryRun`. PUT the file to `uploadUrl` within one hour. The upload starts the import.',
  query: LinkQuery,
  success: 201,
  response: single(ImportLink),
  refuses: ['notFound', 'conflict'],
  ofBuild: requireOwnBuildInQuery,
  async handle({ caller, query }, services) {
    const options = bindImport(query, findBuild(caller.actor));
    const link = await requestLink(services, { ...caller, options, action: 'record' });
    return wrapData(link);
  },
});
