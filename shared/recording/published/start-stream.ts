/**
 * The start of a machine with the published reporter. Such a machine never says that it has ended. A machine that comes
 * after the end of its run keeps the run open until all tests that it announced have a result of its own.
 */
import type * as z from 'zod';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { put } from '#shared/engine/table/writes.ts';
import { loadResults } from '#shared/ingest/instance-results.ts';
import { deriveFurtherInstance, isRecordOfOther, makeMachineSource, type Source } from '#shared/ingest/sources.ts';
import { settleRun } from '#shared/lifecycle/complete-run.ts';
import { openInstance } from '#shared/lifecycle/open-instance.ts';
import { deriveInstanceId, deriveTestKey } from '#shared/model/ids.ts';
import { appendClaim, makeInstance } from '#shared/model/results/instance.ts';
import { hashTestKeys, type SuiteKeys, suiteKeys } from '#shared/model/results/suite-keys.ts';
import { countProgressRows } from '#shared/model/runs/progress.ts';
import { hasBeenReopened, isUnderWay, type Run } from '#shared/model/runs/run.ts';
import { type JoinRequest, joinRun } from '#shared/recording/join-run.ts';
import type { SuiteGroup } from '#shared/recording/run-request.ts';
import type { Services } from '#shared/services.ts';
import type { CreateRunAnswer, StreamRunBody } from './run-wire.ts';
import { presentJoinedRun, toRunRequest } from './translate-run.ts';

interface StreamRequest extends Pick<JoinRequest, 'organizationId' | 'framework'> {
  readonly body: StreamRunBody;
  readonly requestKey: string;
}

export async function startStream(
  services: Services,
  { body, requestKey, ...sender }: StreamRequest,
): Promise<z.input<typeof CreateRunAnswer>> {
  const { tests } = body;
  const joinedRun = await joinRun(services, {
    ...toRunRequest(body, sender),
    process: body.ci?.params?.process,
    requestKeys: [requestKey],
    lingers: !tests,
    ownSuite: pickOwnSuite(body),
  });
  // Reopened, if it had ended, but without what the machine adds to it. None of that is needed here.
  const { run } = joinedRun;
  const answer = presentJoinedRun(services, joinedRun, body.group);
  // Until its first end, a run waits for the tests of its suite. All of these may have a result when it is reopened, and
  // then only the tests of this machine can keep it open.
  if (tests && hasBeenReopened(run) && isUnderWay(run)) {
    await expectOwnResults(services, run, { ...answer, tests });
    await settleRun(services, run);
  }
  return answer;
}

/** The group of the machine with only the tests that this machine runs, if it says which. */
function pickOwnSuite({ tests, fullTestSuite, group }: StreamRunBody): SuiteGroup[] | undefined {
  const suiteGroup = fullTestSuite?.find(({ name }) => name === group);
  return tests && suiteGroup ? [{ ...suiteGroup, tests }] : undefined;
}

interface Announcement {
  readonly groupId: string;
  readonly machineId: string;
  readonly tests: NonNullable<StreamRunBody['tests']>;
}

interface SpecFile {
  readonly groupId: string;
  readonly spec: string;
}

/** Makes the run wait for results of this machine for tests that others have reported. */
async function expectOwnResults(
  services: Services,
  run: Run,
  { groupId, machineId, tests }: Announcement,
): Promise<void> {
  const source = makeMachineSource(machineId);
  await mapConcurrently([...Map.groupBy(tests, ({ spec }) => spec)], async ([spec, fileTests]) => {
    const file = { groupId, spec };
    const announcedKeys = new Set(fileTests.map(({ testId }) => deriveTestKey(testId)));
    const testKeys = await pickReportedByOthers(services, run, { file, source, testKeys: [...announcedKeys] });
    if (testKeys.length > 0) await openExpectedInstance(services, run, { file, source, testKeys });
  });
}

interface TestsOfSource {
  readonly file: SpecFile;
  readonly source: Source;
  readonly testKeys: readonly string[];
}

/** The tests that other sources have reported, and this one has not. */
async function pickReportedByOthers(
  services: Services,
  { organizationId, runId }: Run,
  { file, source, testKeys }: TestsOfSource,
): Promise<string[]> {
  const instanceKey = { organizationId, instanceId: deriveInstanceId({ runId, ...file }) };
  const { reported, records } = await loadResults(services, instanceKey, { consistent: true });
  const ownRecords = records.filter((record) => !isRecordOfOther(record, source));
  const ownKeys = new Set(ownRecords.map(({ testKey }) => testKey));
  return testKeys.filter((testKey) => reported.has(testKey) && !ownKeys.has(testKey));
}

/** Opens an instance that belongs to the source alone, because its results may not replace those of others. */
async function openExpectedInstance(
  services: Services,
  run: Run,
  { file, source, testKeys }: TestsOfSource,
): Promise<void> {
  const { organizationId, runId, expiry } = run;
  const ownInstance = deriveFurtherInstance({ runId, ...file }, source);
  const keys: SuiteKeys = {
    organizationId,
    instanceId: ownInstance.instanceId,
    suite: hashTestKeys(testKeys),
    testKeys,
    // The fewest: the instance is no spec file of a suite, which would need more rows.
    progressRows: countProgressRows(0),
    expiresAt: expiry.results,
  };
  // Before the instance, because whoever sees the open instance must find the tests that it waits for.
  await services.table.writeMany([put(suiteKeys, keys)]);
  const at = services.now();
  await openInstance(services, run, {
    ...makeInstance({ organizationId, runId, ...file, expiry, createdAt: at, ...ownInstance }),
    expected: testKeys.length,
    reserved: testKeys.length,
    claims: appendClaim([], { key: source.key, machineId: source.machineId, at }),
    heardAt: at,
    watched: true,
  });
}
