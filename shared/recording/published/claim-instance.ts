/** A machine claims a spec file before it runs it. Shards may claim the same file: each gets the position of its claim. */

import type * as z from 'zod';
import { notFound, refuse } from '#shared/engine/errors.ts';
import { updateOptimistically } from '#shared/engine/table/optimistic.ts';
import { watchTest } from '#shared/ingest/watch-test.ts';
import { findRun } from '#shared/lifecycle/find-run.ts';
import { reopenRun } from '#shared/lifecycle/reopen-run.ts';
import { reviewInstance } from '#shared/lifecycle/review-instance.ts';
import { deriveInstanceId, makeMachineId } from '#shared/model/ids.ts';
import { appendClaim, type Claim, type Instance, instances } from '#shared/model/results/instance.ts';
import { getSuiteKeysSpan, suiteKeys } from '#shared/model/results/suite-keys.ts';
import { isUnderWay } from '#shared/model/runs/run.ts';
import { missingSuite } from '#shared/recording/errors.ts';
import { noteOrigin } from '#shared/recording/own-build.ts';
import { refuseContradictions } from '#shared/recording/sent-ids.ts';
import type { Services } from '#shared/services.ts';
import type { ClaimInstanceAnswer, ClaimInstanceBody } from './claim-wire.ts';

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
  const run = await findRun(services, { organizationId, runId });
  refuseContradictions(body, { runId });
  await noteOrigin(services, run, undefined);
  const instanceId = deriveInstanceId({ runId, groupId: body.groupId, spec: body.spec });
  const storedInstance = await table.get(instances, { organizationId, runId, instanceId }, { consistent: true });
  if (!storedInstance) throw missingSuite();
  // The machine joined before the end of the run, and runs tests that others have reported.
  const isLate = findClaimPosition(storedInstance, request.requestKey) === 0 && !isUnderWay(run);
  if (isLate) await reopenRun(services, run, { lingers: true });
  // Marked before the claim is stored, because tests may report as soon as a claim exists.
  if (storedInstance.claims.length === 0) await watchLastTest(services, storedInstance);
  const claimedInstance = await addClaim(services, storedInstance, { ...request, tagsOfRun: run.tags.length });
  // If the list of claims is full, it does not contain the new claim.
  return {
    instanceId,
    claimedCount: findClaimPosition(claimedInstance, request.requestKey) || claimedInstance.claims.length + 1,
  };
}

/** The position of the claim, counted from 1. It is 0 if the request has not claimed the file yet. */
const findClaimPosition = ({ claims }: Instance, requestKey: string): number =>
  claims.findIndex(({ key }) => key === requestKey) + 1;

/** When the last test ends, the spec file is checked. If it has already ended, that happens now and marks another test. */
async function watchLastTest(services: Services, instance: Instance): Promise<void> {
  const suites = await services.table.queryAll(suiteKeys, getSuiteKeysSpan(instance), { consistent: true });
  const lastTestKey = suites.at(-1)?.testKeys.at(-1);
  const expiresAt = instance.expiry.results;
  if (lastTestKey === undefined) return;
  const isWatched = await watchTest(services, { ...instance, testKey: lastTestKey, expiresAt });
  if (!isWatched) await reviewInstance(services, instance);
}

/** Throws 404 if the run was deleted meanwhile, as for a run that was deleted before. */
async function addClaim(
  { table, now }: Services,
  storedInstance: Instance,
  { body, requestKey, tagsOfRun }: ClaimRequest & { readonly tagsOfRun: number },
): Promise<Instance> {
  const claim: Claim = { key: requestKey, machineId: body.machineId ?? makeMachineId(requestKey), at: now() };
  const row = { table, entity: instances, what: 'claims of an instance' };
  const claimedInstance = await updateOptimistically(row, storedInstance, (instance) => {
    if (findClaimPosition(instance, requestKey) > 0) return undefined;
    const { claims } = instance;
    const set = [
      ['claims', appendClaim(claims, claim)] as const,
      ['heardAt', now()] as const,
      ['tagsOfRun', Math.max(instance.tagsOfRun ?? 0, tagsOfRun)] as const,
    ];
    const setIfAbsent = body.worker ? [['worker', body.worker] as const] : [];
    return { changes: { set, setIfAbsent }, when: { path: 'claims', equals: claims } };
  });
  return claimedInstance ?? refuse(notFound('Run'));
}
