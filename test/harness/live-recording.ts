/** Records runs with the protocol of our own reporters: start, batches, files and end. */
import { gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { getRecordingMachinesSpan, recordingMachines } from '#shared/model/runs/recording-machine.ts';
import type { Services } from '#shared/services.ts';
import type { Answer, Client } from './client.ts';
import { COMMIT, partsOf, type TestName, type TestState, testIdOf } from './recording-messages.ts';

/** A client with a Read & Write key, and the project in which to record. Any `Tenant` can be passed. */
export interface LiveRecorder {
  readonly api: Client;
  readonly projectId: string;
}

const PLATFORM = { osName: 'linux', osVersion: 'Debian - 12', browserName: null, browserVersion: null };

/** One element of `groups` in the request that starts a recording. */
export const liveGroup = (name: string, tests: readonly TestName[], more: object = {}) => ({
  name,
  tags: [],
  environment: null,
  platform: PLATFORM,
  browser: null,
  tests: tests.map((test) => ({ testId: testIdOf(name, test), spec: partsOf(test).spec })),
  ...more,
});

/** The body of the request that starts a recording. `more` replaces members. */
export const startBody = (groups: readonly object[], more: object = {}) => ({
  machineId: 'm1',
  ciBuildId: 'build-1',
  framework: { type: 'playwright', version: '1.65.1', clientVersion: '0.1.0' },
  commit: COMMIT,
  tags: [],
  groups,
  ...more,
});

/** Removes the members that our own protocol does not have, such as `_s` and `_e`. */
const publicMembers = (attempt: object) =>
  Object.fromEntries(Object.entries(attempt).filter(([name]) => !name.startsWith('_')));

/** Converts the state of a test, as the Playwright reporter sends it, to one element of `tests` in a batch. */
const liveTest = (group: string, test: TestName, { _s, _f, _d, attempts, ...rest }: TestState) => ({
  testId: testIdOf(group, test),
  title: partsOf(test).title,
  state: _s,
  isFlaky: _f,
  expectedStatus: 'passed',
  attempts: attempts.map((attempt) => ({ ...publicMembers(attempt), state: attempt._s })),
  ...rest,
});

/** The elements of `instances` in a batch, one per spec file. */
export const liveInstances = (group: string, tests: Readonly<Record<TestName, TestState>>) =>
  [...Map.groupBy(Object.entries(tests), ([test]) => partsOf(test).spec)].map(([spec, own]) => ({
    groupId: group,
    spec,
    tests: own.map(([test, state]) => liveTest(group, test, state)),
  }));

export const sendStart = ({ api, projectId }: LiveRecorder, body: object): Promise<Answer> =>
  api.post(`/projects/${projectId}/recordings`, body);

export const sendBatch = ({ api }: Pick<LiveRecorder, 'api'>, runId: string, body: object): Promise<Answer> =>
  api.send('POST', `/recordings/${runId}/batches`, Uint8Array.from(gzipSync(JSON.stringify(body))), {
    headers: { 'content-type': 'application/json', 'content-encoding': 'gzip' },
  });

export const sendFiles = ({ api }: Pick<LiveRecorder, 'api'>, runId: string, body: object): Promise<Answer> =>
  api.post(`/recordings/${runId}/files`, body);

export const sendEnd = ({ api }: Pick<LiveRecorder, 'api'>, runId: string, body: object): Promise<Answer> =>
  api.post(`/recordings/${runId}/end`, body);

interface Stage {
  readonly organizationId: string;
  readonly services: Services;
}

/** How many spec files each machine of the run has announced. */
export async function announcedFiles({ organizationId, services: { table } }: Stage, runId: string) {
  const machines = await table.queryAll(recordingMachines, getRecordingMachinesSpan({ organizationId, runId }));
  return machines.map(({ specFiles }) => specFiles);
}

/** Returns the `data` of a response. Throws unless the request succeeded. */
export async function dataOf(answer: Promise<Answer>): Promise<Answer['body']> {
  const { status, body } = await answer;
  expect({ status, body }).toMatchObject({ status: expect.toSatisfy((code: number) => code < 300) });
  return body.data;
}

/** Records a whole run of one group with one machine. */
export async function recordLive(
  recorder: LiveRecorder,
  tests: Readonly<Record<TestName, TestState>>,
  more: object = {},
): Promise<string> {
  const { runId } = await dataOf(sendStart(recorder, startBody([liveGroup('retail', Object.keys(tests))], more)));
  await dataOf(sendBatch(recorder, runId, { machineId: 'm1', sequence: 0, instances: liveInstances('retail', tests) }));
  await dataOf(sendEnd(recorder, runId, { machineId: 'm1', batches: 1 }));
  return runId;
}
