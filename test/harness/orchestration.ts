/**
 * Orchestrates runs over HTTP like `pwc-p`. The functions throw if the service refuses a request, except those that
 * return the response.
 */
import { expect } from 'vitest';
import type { TakeTaskAnswer } from '#shared/orchestration/session-wire.ts';
import type { Client } from './client.ts';
import { claim, createRecord, idempotencyKey, type Recorder, startRun } from './recording.ts';
import { COMMIT, passed, type SuiteGroup, type TestState } from './recording-messages.ts';

export interface Session {
  readonly id: string;
  readonly runId: string;
  readonly machineId: string;
}

/** The body of `POST /orchestration-v1`. `more` replaces members. */
export const sessionBody = (projectId: string, suite: readonly SuiteGroup[], more: object = {}) => ({
  ci: { params: {}, provider: null, ciBuildId: { source: 'user', value: 'build-1' } },
  suite,
  commit: COMMIT,
  clientId: 'client',
  config: {},
  projectId,
  ciBuildId: 'build-1',
  globalWorkers: 1,
  globalBatchSize: 'auto',
  projectWorkers: {},
  projectBatchSizes: {},
  ...more,
});

export async function startSession(
  { api, projectId }: Recorder,
  suite: readonly SuiteGroup[],
  more: object = {},
  key?: string,
): Promise<Session> {
  const answer = await api.post('@/orchestration-v1', sessionBody(projectId, suite, more), idempotencyKey(key));
  expect(answer).toMatchObject({ status: 200 });
  return answer.body;
}

/** Asks for a task like a retry of `pwc-p`: with the attempt number, and one idempotency key per machine. */
export const askAgain = ({ api }: { readonly api: Client }, { id, runId, machineId }: Session, attempt: number) => {
  const headers = { 'x-currents-idempotency-key': `asks ${machineId}`, 'x-pwc-request-attempt': String(attempt) };
  return api.post(`@/orchestration-v1/${id}/task`, { machineId, runId }, { headers });
};

/** Asks for a task. Without a `key`, each call has a new idempotency key. */
export const askForTask = ({ api }: { readonly api: Client }, { id, runId, machineId }: Session, key?: string) =>
  api.post(`@/orchestration-v1/${id}/task`, { machineId, runId }, idempotencyKey(key));

export async function takeTask(tenant: { readonly api: Client }, of: Session, key?: string): Promise<TakeTaskAnswer> {
  const answer = await askForTask(tenant, of, key);
  expect(answer).toMatchObject({ status: 200 });
  return answer.body;
}

export const specsOf = ({ batch }: TakeTaskAnswer): string[] =>
  (batch?.tasks ?? []).map(({ spec }) => `${batch?.groupId} ${spec}`);

/** Takes tasks until there are none left. */
export async function takeAll(tenant: { readonly api: Client }, session: Session): Promise<string[]> {
  const specs: string[] = [];
  for (;;) {
    const task = await takeTask(tenant, session);
    if (!task.batch) return specs;
    specs.push(...specsOf(task));
  }
}

/** Records every test of a task with this state, as the reporter does. Returns the instance ids. */
export async function runTask(
  recorder: Recorder,
  suite: readonly SuiteGroup[],
  session: Session & { readonly ciBuildId?: string },
  { batch }: TakeTaskAnswer,
  state: TestState = passed(),
): Promise<string[]> {
  const { machineId, ciBuildId = 'build-1' } = session;
  if (!batch) return [];
  const group = batch.groupId;
  const run = await startRun(recorder, suite, { group, machineId, ciBuildId });
  const instanceIds: string[] = [];
  for (const { spec } of batch.tasks) {
    const claimed = await claim(recorder, { ...run, machineId }, spec);
    instanceIds.push(claimed.instanceId);
    const tests = suite.find(({ name }) => name === group)?.tests.filter((one) => one.spec === spec) ?? [];
    for (const { title } of tests) await createRecord(recorder, claimed, [spec, ...title].join(' > '), state);
  }
  return instanceIds;
}
