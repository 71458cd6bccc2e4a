/** Further instances: they hold the tests of a machine that another source has reported for the spec file already. */
import { notFound, refuse } from '#shared/engine/errors.ts';
import type { Parents } from '#shared/ingest/execution-of.ts';
import {
  deriveFurtherInstance,
  getSourceMark,
  isOnlySource,
  isUploadOfOther,
  makeMachineSource,
  type Source,
} from '#shared/ingest/sources.ts';
import { openInstance } from '#shared/lifecycle/open-instance.ts';
import { isTooLateToReopen } from '#shared/lifecycle/refuse-ended.ts';
import { reopenRun } from '#shared/lifecycle/reopen-run.ts';
import { deriveTestKey } from '#shared/model/ids.ts';
import { appendClaim, makeInstance } from '#shared/model/results/instance.ts';
import { testRecords } from '#shared/model/results/test-record.ts';
import { uploadTallies } from '#shared/model/results/upload-tally.ts';
import { isUnderWay, type Run } from '#shared/model/runs/run.ts';
import type { Services } from '#shared/services.ts';
import type { CreateTestRecordBody } from './test-wire.ts';

export const toSource = ({ machineId }: CreateTestRecordBody): Source | undefined =>
  machineId == null ? undefined : makeMachineSource(machineId);

/** Whether another source uploaded the test. Costs a read only if one has uploaded results of the spec file. */
export async function isUploadedByOther(
  { table }: Services,
  { instance }: Parents,
  body: CreateTestRecordBody,
): Promise<boolean> {
  const source = toSource(body);
  if (!source || instance.recordedAt === undefined || isOnlySource(instance, source)) return false;
  const tally = await table.get(uploadTallies, instance, { consistent: true });
  return isUploadOfOther(tally?.results[deriveTestKey(body.testId)], getSourceMark(instance, source));
}

export function locateFurtherInstance({ run, instance }: Parents, body: CreateTestRecordBody) {
  const source = toSource(body) ?? refuse(notFound('Instance'));
  return deriveFurtherInstance({ runId: run.runId, groupId: instance.groupId, spec: instance.spec }, source);
}

/** For tests of this machine that other sources reported first. While one of its tests runs, the run stays open. */
export async function openFurtherInstance(
  services: Services,
  parents: Parents,
  body: CreateTestRecordBody,
): Promise<Parents> {
  const { key, machineId } = toSource(body) ?? refuse(notFound('Instance'));
  const run = await reopenForNewTest(services, parents, body);
  const { instance } = parents;
  const { organizationId, runId, groupId, spec, expiry } = instance;
  const at = services.now();
  const place = locateFurtherInstance(parents, body);
  const row = {
    ...makeInstance({ organizationId, runId, groupId, spec, expiry, createdAt: at, ...place }),
    claims: appendClaim([], { key, machineId, at }),
    heardAt: at,
    watched: true,
  };
  return { ...parents, run, instance: await openInstance(services, run, row) };
}

/** A test that begins after the end of its run reopens the run. A repeated message does not. */
async function reopenForNewTest(services: Services, parents: Parents, body: CreateTestRecordBody): Promise<Run> {
  const { run, instance } = parents;
  if (isUnderWay(run) || run.completionState === 'CANCELED' || isTooLateToReopen(run, services.now())) return run;
  const key = {
    organizationId: instance.organizationId,
    ...locateFurtherInstance(parents, body),
    testKey: deriveTestKey(body.testId),
  };
  const storedRecord = await services.table.get(testRecords, key, { consistent: true });
  return storedRecord ? run : reopenRun(services, run, { lingers: true });
}
