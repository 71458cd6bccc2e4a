/**
 * The start of a machine with the published reporter. Such a machine never says that it has ended. A machine that comes
 * after the end of its run keeps the run open until all tests that it announced have a result of its own.
 */
import type * as z from 'zod';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { put } from '#shared/engine/table/writes.ts';
import { loadResults } from '#shared/ingest/instance-results.ts';
import { deriveFurtherInstance, isRecordOfOther, makeMachineSource } from '#shared/ingest/sources.ts';
import { releaseAfterImport } from '#shared/lifecycle/complete-run.ts';
import { openInstance } from '#shared/lifecycle/open-instance.ts';
import { deriveInstanceId, deriveTestKey } from '#shared/model/ids.ts';
import { appendClaim, makeInstance } from '#shared/model/results/instance.ts';
import { hashTestKeys, type SuiteKeys, suiteKeys } from '#shared/model/results/suite-keys.ts';
import { countProgressRows } from '#shared/model/runs/progress.ts';
import { isUnderWay, type Run } from '#shared/model/runs/run.ts';
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
  const { run } = joinedRun;
  const answer = presentJoinedRun(services, joinedRun, body.group);
  if (!tests || run.ends === undefined || !isUnderWay(run)) return answer;
  await expectOwnResults(services, run, { ...answer, tests });
  await releaseAfterImport(services, run);
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

/** Makes the run wait for results of this machine for tests that others have reported. */
async function expectOwnResults(
  services: Services,
  run: Run,
  { groupId, machineId, tests }: Announcement,
): Promise<void> {
  const { organizationId, runId, expiry } = run;
  const source = makeMachineSource(machineId);
  await mapConcurrently([...Map.groupBy(tests, ({ spec }) => spec)], async ([spec, fileTests]) => {
    const instanceKey = { organizationId, instanceId: deriveInstanceId({ runId, groupId, spec }) };
    const { reported, records } = await loadResults(services, instanceKey, { consistent: true });
    const ownKeys = records.filter((record) => !isRecordOfOther(record, source)).map(({ testKey }) => testKey);
    const isReportedByOther = (key: string) => reported.has(key) && !ownKeys.includes(key);
    const testKeys = [...new Set(fileTests.map(({ testId }) => deriveTestKey(testId)))].filter(isReportedByOther);
    if (testKeys.length === 0) return;
    const at = services.now();
    const further = deriveFurtherInstance({ runId, groupId, spec }, source);
    const keys: SuiteKeys = {
      organizationId,
      instanceId: further.instanceId,
      suite: hashTestKeys(testKeys),
      testKeys,
      progressRows: countProgressRows(0),
      expiresAt: expiry.results,
    };
    await services.table.writeMany([put(suiteKeys, keys)]);
    await openInstance(services, run, {
      ...makeInstance({ organizationId, runId, groupId, spec, expiry, createdAt: at, ...further }),
      expected: testKeys.length,
      reserved: testKeys.length,
      claims: appendClaim([], { key: source.key, machineId, at }),
      heardAt: at,
      watched: true,
    });
  });
}
