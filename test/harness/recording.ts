/**
 * Records runs over HTTP like the Playwright reporter: one function per request, and `recordRun` for a whole run. Each
 * function throws unless the request succeeds. Tests of errors send the bodies of `recording-messages.ts` themselves.
 */
import { expect } from 'vitest';
import type { Client } from './client.ts';
import {
  partsOf,
  runBody,
  type SuiteGroup,
  suiteGroup,
  type TestName,
  type TestState,
  testIdOf,
} from './recording-messages.ts';

/** The client and the project with which to record. Any `Tenant` can be passed. */
export interface Recorder {
  readonly api: Client;
  readonly projectId: string;
}

export interface StartedRun {
  readonly runId: string;
  readonly groupId: string;
  readonly machineId: string;
  readonly ciBuildId: string;
  readonly isNewRun: boolean;
}

/** Returns request options with an idempotency key, which is a new key by default. */
export const idempotencyKey = (key: string = crypto.randomUUID()) => ({
  headers: { 'x-currents-idempotency-key': key },
});

/** Starts a run. `more` adds or replaces members of the body, such as `ciBuildId`, `group` and `machineId`. */
export async function startRun(
  { api, projectId }: Recorder,
  suite: readonly SuiteGroup[],
  more: object = {},
): Promise<StartedRun> {
  const answer = await api.post('@/runs/v1', runBody(projectId, suite, more), idempotencyKey());
  expect(answer).toMatchObject({ status: 200 });
  return answer.body;
}

export interface Claimed {
  readonly runId: string;
  readonly groupId: string;
  readonly spec: string;
  readonly instanceId: string;
  readonly claimedCount: number;
}

export async function claim(
  { api }: Recorder,
  { runId, groupId, machineId }: Pick<StartedRun, 'runId' | 'groupId'> & { readonly machineId?: string },
  spec: string,
): Promise<Claimed> {
  const body = { runId, groupId, machineId, spec, worker: { workerIndex: 0, parallelIndex: 0 } };
  const answer = await api.post(`@/runs/${runId}/pw/instances/v1`, body, idempotencyKey());
  expect(answer).toMatchObject({ status: 200 });
  return { runId, groupId, spec, ...answer.body };
}

/** Returns the body of `POST /test-record`. */
export const firstMessage = (claimed: Omit<Claimed, 'claimedCount'>, test: TestName, state: TestState, _t = 0) => ({
  _t,
  runId: claimed.runId,
  groupId: claimed.groupId,
  instanceId: claimed.instanceId,
  testId: testIdOf(claimed.groupId, test),
  ...partsOf(test),
  expectedStatus: 'passed',
  ...state,
});

/** Sends the first message about a test and returns the record id. */
export async function createRecord(
  { api }: Recorder,
  claimed: Omit<Claimed, 'claimedCount'>,
  test: TestName,
  state: TestState,
  _t = 0,
): Promise<string> {
  const answer = await api.post('@/test-record', firstMessage(claimed, test, state, _t), idempotencyKey());
  expect(answer).toMatchObject({ status: 200 });
  return answer.body.recordId;
}

/** Sends a later message, which replaces the attempts of the test. */
export async function updateRecord({ api }: Recorder, recordId: string, state: TestState, _t: number): Promise<void> {
  const { expectedStatus, ...body } = state;
  const answer = await api.put(`@/test-record/${recordId}`, { _t, ...body }, idempotencyKey());
  expect(answer).toMatchObject({ status: 200 });
}

export interface GroupOfRun {
  readonly tags?: readonly string[];
  readonly environment?: string;
  /** The state of each test. A test with `undefined` never reports, so its run does not end. */
  readonly tests: Readonly<Record<TestName, TestState | undefined>>;
}

export interface RecordedRun {
  readonly runId: string;
  /** Instance ids by group and spec, for example `instances['retail cart.spec.ts']`. */
  readonly instances: Readonly<Record<string, string>>;
  /** Record ids by test, for example `records['retail cart.spec.ts > cart > sums']`. */
  readonly records: Readonly<Record<string, string>>;
}

/**
 * Records a run with its groups, and reports the tests in order. `more` adds or replaces members of the body of
 * `POST /runs/v1`.
 */
export async function recordRun(
  recorder: Recorder,
  groups: Readonly<Record<string, GroupOfRun>>,
  more: object = {},
): Promise<RecordedRun> {
  const suite = Object.entries(groups).map(([name, { tests, ...rest }]) => suiteGroup(name, Object.keys(tests), rest));
  const instances: Record<string, string> = {};
  const records: Record<string, string> = {};
  let runId = '';
  for (const [group, { tests }] of Object.entries(groups)) {
    const run = await startRun(recorder, suite, { ...more, group });
    runId = run.runId;
    for (const [test, state] of Object.entries(tests)) {
      if (!state) continue;
      const { spec } = partsOf(test);
      const name = `${group} ${spec}`;
      instances[name] ??= (await claim(recorder, run, spec)).instanceId;
      const claimed = { runId, groupId: group, spec, instanceId: instances[name] };
      records[`${group} ${test}`] = await createRecord(recorder, claimed, test, state);
    }
  }
  return { runId, instances, records };
}
