/** Creates two organizations whose projects have the same id, and whose runs have the same build id and tests. */
import { deliveries } from '#shared/model/events/delivery.ts';
import { projects, projectsOfOrganization } from '#shared/model/organizations/project.ts';
import { deliveryItem } from '#test/engine/http/sample-webhooks.ts';
import { query } from '#test/harness/client.ts';
import { type RecordedRun, recordRun } from '#test/harness/recording.ts';
import { failed, passed } from '#test/harness/recording-messages.ts';
import { service, type Tenant } from '#test/harness/service.ts';

export const SPEC = 'cart.spec.ts';
const TEST = `${SPEC} > cart > sums`;
export const RANGE = query(['date_start', '2026-11-01'], ['date_end', '2026-11-30']);

const WEBHOOK = { url: 'https://receiver.invalid/hook', hookEvents: ['RUN_CANCELED'] };

export interface Neighbour extends Tenant {
  readonly run: RecordedRun;
  readonly signature: string;
  readonly instanceId: string;
  readonly hookId: string;
}

/** Creates two organizations in one service that have a project with the same id. */
export async function twins() {
  const here = await service();
  const there = await here.tenant('Look-alike');
  const project = await here.services.table.get(projects, here);
  if (!project) throw new Error('The test project does not exist');
  const twin = { ...project, organizationId: there.organizationId, name: 'Twin' };
  await here.services.table.put(projects, twin);
  await here.services.table.put(projectsOfOrganization, { ...twin, createdAt: project.createdAt + 1 });
  return { here, there: { ...there, projectId: here.projectId } };
}

/**
 * Creates two organizations that have each recorded a run with the same build id and the same test. The test passes in
 * the first organization and fails in the second. Each organization has a webhook with one delivery.
 */
export async function neighbours(): Promise<readonly [Neighbour, Neighbour]> {
  const { here, there } = await twins();
  const { projectId } = here;
  const record = async (tenant: Tenant, state: object): Promise<Neighbour> => {
    const run = await recordRun({ api: tenant.api, projectId }, { retail: { tests: { [TEST]: passed(state) } } });
    const body = { projectId, specFilePath: SPEC, testTitle: ['cart', 'sums'] };
    const { signature } = (await tenant.api.post('/signature/test', body)).body.data;
    const { hookId } = (await tenant.api.post(`/webhooks?projectId=${projectId}`, WEBHOOK)).body.data;
    const hook = { organizationId: tenant.organizationId, projectId, hookId };
    await here.services.table.put(deliveries, deliveryItem(hook, { number: 1, createdAt: Date.now() }));
    return { ...tenant, projectId, run, signature, hookId, instanceId: run.instances[`retail ${SPEC}`] ?? '' };
  };
  return [await record(here, {}), await record(there, failed())];
}
