import { endpoint } from '#shared/platform/endpoint.ts';
import { requireOwnProject } from '#shared/recording/own-build.ts';
import { serveRules } from '#shared/rules/serve-rules.ts';
import { ServedRules } from '#shared/rules/served-wire.ts';

/** The reporter's fixtures call this once per worker. */
export const handler = endpoint({
  operationId: 'getRules',
  route: 'GET /rules/project/{projectId}',
  at: 'both',
  permission: 'record',
  access: { table: 'read', artifacts: 'none' },
  summary: 'Get the active rules for the test runners of a project',
  revalidates: true,
  response: ServedRules,
  refuses: ['notFound'],
  ofBuild: requireOwnProject,
  handle: ({ actor: { organizationId }, path: { projectId } }, services) =>
    serveRules(services, { organizationId, projectId }),
});
