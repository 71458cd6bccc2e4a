/**
 * Stores the results of finished spec files of a batch upload: their history, errors and evidence, and the tallies from
 * which their counters are derived. Idempotent: a repeated upload rewrites the same rows.
 */

import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { notFound, refuse } from '#shared/engine/errors.ts';
import { updateOptimistically } from '#shared/engine/table/optimistic.ts';
import { toAssignments } from '#shared/engine/table/update.ts';
import { ABSENT, type Delete, type Put } from '#shared/engine/table/writes.ts';
import { deriveInstanceId, deriveTestKey } from '#shared/model/ids.ts';
import type { HistoryRow } from '#shared/model/results/history-row.ts';
import {
  appendClaim,
  type Claim,
  type Instance,
  type InstanceKey,
  instances,
  makeInstance,
} from '#shared/model/results/instance.ts';
import type { RecordedTest } from '#shared/model/results/instance-details.ts';
import type { Run } from '#shared/model/runs/run.ts';
import type { CoreServices, Services } from '#shared/services.ts';
import { findFirstStart } from './attempt-times.ts';
import { mapCountedTests } from './counted-tests.ts';
import type { Parents, Targets } from './execution-of.ts';
import { extendTerms } from './extend-terms.ts';
import type { InstanceResults } from './instance-results.ts';
import { planRecordHistoryRemoval } from './remove-instance.ts';
import type { ReportedInstance, ReportedTest } from './reported.ts';
import { deriveFurtherInstance, makeRepeatedSource, type Source } from './sources.ts';
import { planOutdatedFailureRemoval, planTest, toRecordedTest } from './upload-rows.ts';
import { addToTally, findTestKeysOfOthers, readEarlierTally, refuseTooMany } from './upload-tally.ts';

export interface Upload {
  readonly targets: Targets & { readonly run: Run };
  readonly instances: readonly ReportedInstance[];
  readonly source: Source;
  /** The key of the claims that the upload adds to its spec files. */
  readonly claimKey: string;
}

export interface StoredInstance {
  readonly key: InstanceKey;
  readonly parents: Parents;
  readonly tests: readonly RecordedTest[];
  /** The results of the spec file, unless the rows of this upload have changed them since they were read. */
  readonly results: InstanceResults | undefined;
}

interface InstanceWrites {
  readonly stored: StoredInstance;
  readonly executions: readonly HistoryRow[];
  readonly writes: readonly (Put | Delete)[];
}

/** Does not count the results yet. The rows of all spec files are written together. */
export async function storeUpload(services: Services, upload: Upload): Promise<StoredInstance[]> {
  const plannedInstances = (await mapConcurrently(upload.instances, (file) => planFile(services, upload, file))).flat();
  const executions = plannedInstances.flatMap((instance) => instance.executions);
  await extendTerms(services, executions);
  await services.table.writeMany(plannedInstances.flatMap(({ writes }) => writes));
  return plannedInstances.map(({ stored }) => stored);
}

/** Plans the rows of a spec file. Tests that other sources reported first go to a further instance of the file. */
async function planFile(services: CoreServices, upload: Upload, file: ReportedInstance): Promise<InstanceWrites[]> {
  const { repetition = 0 } = file;
  const source = repetition === 0 ? upload.source : makeRepeatedSource(upload.source, repetition);
  const claimKey = repetition === 0 ? upload.claimKey : source.key;
  const sharedUpload = { ...upload, source, claimKey, further: undefined };
  const further = deriveFurtherInstance({ runId: upload.targets.run.runId, ...file }, source);
  const furtherUpload = { ...sharedUpload, further };
  // An earlier file of the same request reported these tests.
  if (repetition > 0) return (await planInstance(services, furtherUpload, file)).planned;
  const { planned, others } = await planInstance(services, sharedUpload, file);
  if (others.length === 0) return planned;
  const furtherPlan = await planInstance(services, furtherUpload, { ...file, tests: others });
  return [...planned, ...furtherPlan.planned];
}

interface InstanceUpload extends Upload {
  /** The further instance that belongs to the source alone. `undefined` for the instance that all sources share. */
  readonly further: ReturnType<typeof deriveFurtherInstance> | undefined;
}

/**
 * Claims an instance and adds the results to its tally. Returns the rows that are left to write, and the tests that
 * other sources reported first. The claim comes first, because the first claim decides whose results name no source.
 */
async function planInstance(
  services: CoreServices,
  { targets, source, claimKey, further }: InstanceUpload,
  { groupId, spec, worker, tests: sentTests, hasMore = false }: ReportedInstance,
): Promise<{ readonly planned: InstanceWrites[]; readonly others: readonly ReportedTest[] }> {
  const { run } = targets;
  const { organizationId, runId, expiry } = run;
  const instanceId = further?.instanceId ?? deriveInstanceId({ runId, groupId, spec });
  const key = { organizationId, runId, instanceId, groupId, spec, source: further?.source, expiry };
  const existingInstance = further ? undefined : targets.instanceOf(instanceId);
  const instanceBeforeClaim = existingInstance ?? makeInstance({ ...key, createdAt: services.now() });
  const testsByKey = new Map(sentTests.map((test) => [deriveTestKey(test.testId), test]));
  const earlierTally = await readEarlierTally(services, instanceBeforeClaim);
  await refuseTooMany(services, instanceBeforeClaim, { ...earlierTally?.results, ...mapCountedTests(sentTests) });
  const keysOfOthers = await findTestKeysOfOthers(
    services,
    { instance: instanceBeforeClaim, source, tally: earlierTally },
    [...testsByKey.keys()],
  );
  const hasOwn = [...testsByKey.keys()].some((testKey) => !keysOfOthers.has(testKey));
  if (!hasOwn && sentTests.length > 0) return { planned: [], others: sentTests };
  const earlierClaim = existingInstance?.claims.find(({ key: earlierKey }) => earlierKey === claimKey);
  const at = findFirstStart(sentTests, services.now()) ?? earlierClaim?.at ?? run.createdAt;
  const claiming = { claim: { key: claimKey, machineId: source.machineId, at }, worker };
  const instance = await claimForUpload(services, key, claiming, existingInstance);
  const before = await addToTally(services, instance, {
    source,
    reported: testsByKey,
    earlier: earlierTally,
    keysOfOthers,
    hasMore,
  });
  const isOwn = ({ testId }: ReportedTest) => before.own.has(deriveTestKey(testId));
  const tests = sentTests.filter(isOwn).map((test) => ({ ...test, machineId: source.machineId }));
  const parents = { run, group: targets.groupOf(groupId), instance };
  const reportedBefore = tests.filter(({ testId }) => before.reported.has(deriveTestKey(testId)));
  const plannedTests = tests.map((test) => planTest(parents, before, test));
  const executions = plannedTests.map(({ execution }) => execution);
  // A test may have only one history row per instance, and the upload does not overwrite the rows of streamed tests,
  // because their keys contain a different time.
  const streamedRecords = before.records.filter(({ finalAt }) => finalAt !== instance.recordedAt);
  const writes = [
    ...planRecordHistoryRemoval(organizationId, streamedRecords),
    ...plannedTests.flatMap((test) => test.writes),
  ];
  if (reportedBefore.length > 0) writes.push(...(await planOutdatedFailureRemoval(services, key, reportedBefore)));
  const storedInstance = {
    key,
    parents,
    tests: tests.map((test) => toRecordedTest(parents, test)),
    results: before.records.length === 0 ? before.results : undefined,
  };
  return {
    planned: [{ stored: storedInstance, executions, writes }],
    others: sentTests.filter((test) => !isOwn(test)),
  };
}

/** The first upload also sets `recordedAt`, the time of its results in the history. */
async function claimForUpload(
  { table, now }: CoreServices,
  key: Omit<Parameters<typeof makeInstance>[0], 'createdAt'>,
  { claim, worker }: { readonly claim: Claim } & Pick<ReportedInstance, 'worker'>,
  before: Instance | undefined,
): Promise<Instance> {
  let existingInstance = before;
  const at = now();
  if (!existingInstance) {
    const row = {
      ...makeInstance({ ...key, createdAt: at }),
      claims: appendClaim([], claim),
      recordedAt: at,
      heardAt: at,
      worker: worker ?? undefined,
    };
    const outcome = await table.put(instances, row, ABSENT);
    if (outcome.done) return row;
    existingInstance = outcome.item;
  }
  const row = { table, entity: instances, what: 'claims of an instance' };
  const claimedInstance =
    existingInstance &&
    (await updateOptimistically(row, existingInstance, ({ claims }) => {
      const set = [['claims', appendClaim(claims, claim)] as const, ['heardAt', now()] as const];
      const setIfAbsent = toAssignments({ recordedAt: now(), worker: worker ?? undefined });
      return { changes: { set, setIfAbsent }, when: { path: 'claims', equals: claims } };
    }));
  return claimedInstance ?? refuse(notFound('Run'));
}
