/** A machine takes a spec file. Several may take the same one (shards of a fully parallel suite); each is told which it was. */
import * as z from 'zod';
import { missingSuite, notFound, refuse } from '../errors.ts';
import { refuseEnded } from '../lifecycle/refuse-ended.ts';
import { optimistically } from '../optimistic.ts';
import { instanceIdOf, machineIdOf } from '../resources/ids.ts';
import { type Claim, type Instance, instances } from '../resources/instance.ts';
import { id, spec } from '../resources/names.ts';
import { runs } from '../resources/run.ts';
import type { Services } from '../services.ts';

const index = z.int().catch(-1);

export const ClaimInstanceBody = z.object({
  groupId: id,
  spec,
  machineId: id.nullish(),
  worker: z.object({ workerIndex: index, parallelIndex: index }).nullish(),
});

export const ClaimInstanceAnswer = z.object({ instanceId: z.string(), claimedCount: z.int().positive() });

interface ClaimRequest {
  readonly organizationId: string;
  readonly runId: string;
  readonly body: z.output<typeof ClaimInstanceBody>;
  readonly requestKey: string;
}

export async function claimInstance(
  services: Services,
  request: ClaimRequest,
): Promise<z.input<typeof ClaimInstanceAnswer>> {
  const { organizationId, runId, body } = request;
  const { table } = services;
  const run = (await table.get(runs, { organizationId, runId }, { consistent: true })) ?? refuse(notFound('Run'));
  const instanceId = instanceIdOf({ runId, groupId: body.groupId, spec: body.spec });
  const known = await table.get(instances, { organizationId, runId, instanceId }, { consistent: true });
  if (!known) throw missingSuite();
  if (positionOf(known, request.requestKey) === 0) refuseEnded(run);
  const claimed = await addClaim(services, known, request);
  return { instanceId, claimedCount: positionOf(claimed, request.requestKey) };
}

/** One-based; 0 for a request that has not claimed yet. */
const positionOf = ({ claims }: Instance, requestKey: string): number =>
  claims.findIndex(({ key }) => key === requestKey) + 1;

async function addClaim(
  { table, now }: Services,
  instance: Instance,
  { body, requestKey }: ClaimRequest,
): Promise<Instance> {
  let known = instance;
  const claim: Claim = { key: requestKey, machineId: body.machineId ?? machineIdOf(requestKey), at: now() };
  await optimistically('claims of an instance', async () => {
    if (positionOf(known, requestKey) > 0) return true;
    const changes = {
      set: [['claims', [...known.claims, claim]]] as const,
      setIfAbsent: body.worker ? [['worker', body.worker] as const] : [],
    };
    const outcome = await table.update(instances, known, changes, { path: 'claims', equals: known.claims });
    known = outcome.done ? outcome.item : (outcome.existing ?? known);
    return outcome.done;
  });
  return known;
}
