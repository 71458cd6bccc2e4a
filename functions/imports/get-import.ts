import { single, wrapData } from '#shared/engine/http/envelope.ts';
import { findImport } from '#shared/imports/find-import.ts';
import { ImportAnswer } from '#shared/imports/import-wire.ts';
import { presentImport } from '#shared/imports/present-import.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { requireOwnImport } from '#shared/recording/own-build.ts';

export const handler = endpoint({
  operationId: 'getImport',
  route: 'GET /imports/{importId}',
  permission: 'results:read',
  access: { table: 'read', artifacts: 'none' },
  summary: 'Get an import: its state, its progress, and what could not be read',
  response: single(ImportAnswer),
  refuses: ['notFound'],
  ofBuild: async (build, { caller, path }, services) =>
    requireOwnImport(build, await findImport(services, { ...caller, ...path })),
  async handle({ caller, path }, services) {
    return wrapData(presentImport(services.origin, await findImport(services, { ...caller, ...path })));
  },
});
