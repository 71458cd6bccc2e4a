/**
 * The rows above a new test, without a consistent read of the partition of its run, which all tests of the run would
 * share. Nothing that is read here decides: three other rows do, and they are read consistently, from partitions that
 * few tests share. If one of them exists, something has happened that the facts below may not show yet, and the caller
 * reads the run, the group and the instance consistently.
 * - The mark of a stopped run: it was cancelled, timed out or was deleted.
 * - The state of the spec file: it was complete, or it was reset.
 * - The uploaded results of the spec file, because the test may be among them.
 */
import { type Lookup, makeLookup } from '#shared/engine/table/found.ts';
import { deriveInstanceId, extractRunId } from '#shared/model/ids.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { countKnownTests, type Instance, instances, isComplete } from '#shared/model/results/instance.ts';
import { instanceResets } from '#shared/model/results/instance-reset.ts';
import type { GroupFacts, InstanceFacts, RunFacts } from '#shared/model/results/recent-facts.ts';
import { uploadTallies } from '#shared/model/results/upload-tally.ts';
import { haveEnded } from '#shared/model/runs/expiry.ts';
import { type Group, groups } from '#shared/model/runs/group.ts';
import { isUnderWay, type Run, runs } from '#shared/model/runs/run.ts';
import { getStopKey, stoppedRuns } from '#shared/model/runs/stopped-run.ts';
import type { Services } from '#shared/services.ts';

export interface SteadyParents {
  readonly run: RunFacts;
  readonly group: GroupFacts;
  readonly instance: InstanceFacts;
}

type TestPlace = Pick<Instance, 'organizationId' | 'instanceId'>;

/** Who sends the test, and its group. */
interface Sender {
  readonly groupId: string;
  readonly machineId?: string | null | undefined;
}

/**
 * Returns `undefined` unless the run is in progress and the spec file is open, undisturbed, and claimed by the machine
 * that sends the test. So the instance is one that all sources share, and its last test has the `watched` mark.
 */
export async function findSteadyParents(
  services: Services,
  place: TestPlace,
  { groupId, machineId }: Sender,
): Promise<SteadyParents | undefined> {
  const runId = extractRunId(place.instanceId);
  if (runId === undefined || machineId == null) return undefined;
  const key = { organizationId: place.organizationId, runId, instanceId: place.instanceId, groupId };
  const [parents, isSteady] = await Promise.all([readFacts(services, key), isUndisturbed(services, key)]);
  if (!isSteady || !parents) return undefined;
  const { run, instance } = parents;
  const isClaimed = instance.claims.some((claim) => claim.machineId === machineId);
  // The machine joined before it claimed the spec file, so the run had all tags of the machine by then.
  const hasAllTags = instance.tagsOfRun !== undefined && instance.tagsOfRun <= run.tags.length;
  const isFull = countKnownTests(instance) >= MODEL_LIMITS.testsPerSpec;
  const isExpired = haveEnded(run.expiry.results, services.now());
  return isClaimed && hasAllTags && !isFull && !isExpired ? parents : undefined;
}

interface FactsKey extends TestPlace {
  readonly runId: string;
  readonly groupId: string;
}

/** Facts that this container does not know are read eventually consistently, in one trip. */
async function readFacts({ table, recent, now }: Services, key: FactsKey): Promise<SteadyParents | undefined> {
  const { organizationId, runId, groupId, instanceId } = key;
  const names = {
    run: JSON.stringify([organizationId, runId]),
    group: JSON.stringify([organizationId, runId, groupId]),
    instance: JSON.stringify([organizationId, instanceId]),
  };
  const at = now();
  const recentRun = recent.runs.recall(names.run, at);
  const recentGroup = recent.groups.recall(names.group, at);
  const recentInstance = recent.instances.recall(names.instance, at);
  if (recentRun && recentGroup && recentInstance)
    return { run: recentRun, group: recentGroup, instance: recentInstance };
  const lookups = {
    run: makeLookup(runs, key),
    group: makeLookup(groups, key),
    instance: makeLookup(instances, key),
  };
  const missingLookups: Lookup<unknown>[] = [];
  if (!recentRun) missingLookups.push(lookups.run);
  if (!recentGroup) missingLookups.push(lookups.group);
  if (!recentInstance) missingLookups.push(lookups.instance);
  const rows = await table.getTogether(missingLookups);
  const run = recentRun ?? pickRunFacts(rows.of(lookups.run));
  const group = recentGroup ?? pickGroupFacts(rows.of(lookups.group));
  const instance = recentInstance ?? pickInstanceFacts(rows.of(lookups.instance), key);
  if (run && !recentRun) recent.runs.keep(names.run, run, at);
  if (group && !recentGroup) recent.groups.keep(names.group, group, at);
  if (instance && !recentInstance) recent.instances.keep(names.instance, instance, at);
  return run && group && instance && { run, group, instance };
}

/** Whether nothing has happened to the run and the spec file that the facts may not show yet. */
async function isUndisturbed({ table }: Services, key: FactsKey): Promise<boolean> {
  const lookups = [
    makeLookup(stoppedRuns, getStopKey(key, key.instanceId)),
    makeLookup(instanceResets, key),
    makeLookup(uploadTallies, key),
  ];
  const rows = await table.getTogether(lookups, { consistent: true });
  return lookups.every((lookup) => rows.of<unknown>(lookup) === undefined);
}

function pickRunFacts(run: Run | undefined): RunFacts | undefined {
  if (!run || !isUnderWay(run)) return undefined;
  const { projectId, tags, framework, commit, expiry } = run;
  return { projectId, tags, framework, commit, expiry };
}

const pickGroupFacts = (group: Group | undefined): GroupFacts | undefined =>
  group && { tags: group.tags, environment: group.environment };

/** None of an instance that belongs to one source, that is complete, or that was disturbed in another way. */
function pickInstanceFacts(instance: Instance | undefined, key: FactsKey): InstanceFacts | undefined {
  if (!instance || instance.claims.length > MODEL_LIMITS.recent.claims) return undefined;
  const { organizationId, instanceId, groupId, spec, claims, expected, known, tagsOfRun } = instance;
  const isShared = deriveInstanceId({ runId: key.runId, groupId, spec }) === instanceId && groupId === key.groupId;
  const isDisturbed = isComplete(instance) || instance.recordedAt !== undefined || instance.epoch > 0;
  return isShared && !isDisturbed
    ? { organizationId, instanceId, groupId, spec, claims, expected, known, tagsOfRun }
    : undefined;
}
