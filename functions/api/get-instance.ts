import { endpoint } from '#shared/endpoint.ts';
import { ok, single } from '#shared/envelope.ts';
import { notFound, refuse } from '#shared/errors.ts';
import { id } from '#shared/resources/names.ts';
import { Instance, presentInstance } from '#shared/results/instance.ts';
import { linkFiles } from '#shared/results/instance-files.ts';
import { loadInstance } from '#shared/results/load-instance.ts';

/** §4.2 */
export const handler = endpoint({
  operationId: 'getInstance',
  route: 'GET /instances/{instanceId}',
  permission: 'results:read',
  access: { table: 'read', artifacts: 'read' },
  summary: 'One spec-file execution with its test results',
  path: { instanceId: id },
  response: single(Instance),
  async handle({ caller: { organizationId }, path: { instanceId } }, services) {
    const loaded = (await loadInstance(services, { organizationId, instanceId })) ?? refuse(notFound('Instance'));
    const files = await linkFiles(services.artifacts, loaded.artifacts);
    return ok({ data: presentInstance(loaded.details, files) });
  },
});
