/**
 * A machine claims a spec file before running the file. The shards of a fully parallel suite may claim the same file.
 * The response tells each of them the position of its claim.
 */

import type * as z from 'zod';
import { notFound, refuse } from '#shared/engine/errors.ts';
import { updateOptimistically } from '#shared/engine/table/optimistic.ts';
import { watchTest } from '#shared/ingest/watch-test.ts';
import { findRun } from '#shared/lifecycle/find-run.ts';
import { reopenRun } from '#shared/lifecycle/reopen-run.ts';
import { reviewInstance } from '#shared/lifecycle/review-instance.ts';
import { deriveInstanceId, makeMachineId } from '#shared/model/ids.ts';
import { isUnderWay } from '#shared/model/runs/run.ts';
import { appendClaim, type Claim, type Instance, instances } from '#shared/model/tests/instance.ts';
import { getSuiteKeysSpan, suiteKeys } from '#shared/model/tests/suite-keys.ts';
import type { Services } from '#shared/services.ts';
import type { ClaimInstanceAnswer, ClaimInstanceBody } from './claim-wire.ts';
import { missingSuite } from './errors.ts';
import { refuseContradictions } from './sent-ids.ts';

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
  const instanceId = deriveInstanceId({ runId, groupId: body.groupId, spec: body.spec });
  const known = await table.get(instances, { organizationId, runId, instanceId }, { consistent: true });
  if (!known) throw missingSuite();
  // The machine joined before the end of the run, and runs tests that others have reported.
  const isLate = positionOf(known, request.requestKey) === 0 && !isUnderWay(run);
  if (isLate) await reopenRun(services, run, { lingers: true });
  // The last expected test must be marked before the claim is stored, because tests may report as soon as a claim
  // exists.
  if (known.claims.length === 0) await watchLast(services, known);
  const claimed = await addClaim(services, known, request);
  // If the list of claims is full, it does not contain the new claim.
  return { instanceId, claimedCount: positionOf(claimed, request.requestKey) || claimed.claims.length + 1 };
}

/** The position of the claim, counted from 1. It is 0 if the request has not claimed the file yet. */
const positionOf = ({ claims }: Instance, requestKey: string): number =>
  claims.findIndex(({ key }) => key === requestKey) + 1;

/**
 * Marks the last expected test: when it ends, Rundown checks whether the spec file is complete. If that test has
 * already ended, Rundown checks the spec file now, and marks a test that has not ended yet.
 */
async function watchLast(services: Services, instance: Instance): Promise<void> {
  const suites = await services.table.queryAll(suiteKeys, getSuiteKeysSpan(instance), { consistent: true });
  const last = suites.at(-1)?.testKeys.at(-1);
  const expiresAt = instance.expiry.results;
  if (last === undefined || (await watchTest(services, { ...instance, testKey: last, expiresAt }))) return;
  await reviewInstance(services, instance);
}

/** Throws 404 if the run was deleted meanwhile, as for a run that was deleted before. */
async function addClaim(
  { table, now }: Services,
  known: Instance,
  { body, requestKey }: ClaimRequest,
): Promise<Instance> {
  const claim: Claim = { key: requestKey, machineId: body.machineId ?? makeMachineId(requestKey), at: now() };
  const row = { table, entity: instances, what: 'claims of an instance' };
  const claimed = await updateOptimistically(row, known, (instance) => {
    if (positionOf(instance, requestKey) > 0) return undefined;
    const { claims } = instance;
    const set = [['claims', appendClaim(claims, claim)] as const, ['heardAt', now()] as const];
    const setIfAbsent = body.worker ? [['worker', body.worker] as const] : [];
    return { changes: { set, setIfAbsent }, when: { path: 'claims', equals: claims } };
  });
  return claimed ?? refuse(notFound('Run'));
}
