/**
 * Uploads finished instances like `currents upload`: with gzip, with the key in the body, and without an idempotency
 * key.
 */
import { gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { deriveInstanceId } from '#shared/model/ids.ts';
import type { Answer, Client } from './client.ts';
import type { RecordedRun } from './recording.ts';
import {
  partsOf,
  runBody,
  type SuiteGroup,
  suiteGroup,
  type TestName,
  type TestState,
  testIdOf,
} from './recording-messages.ts';
import { logLines } from './service.ts';

/** The client, the project and the keys with which to upload. Any `Tenant` can be passed. */
export interface BatchRecorder {
  /** The client. It needs no credential, because the key is in the body. */
  readonly api: Client;
  readonly projectId: string;
  readonly keys: { readonly readWrite: string };
}

/** Returns one element of `instances`. `more` adds members such as `artifacts`. */
export const batchInstance = (
  groupId: string,
  spec: string,
  tests: Readonly<Record<TestName, TestState>>,
  more: object = {},
) => ({
  groupId,
  spec,
  startTime: '2026-11-02T09:58:00.000Z',
  results: {
    stats: {},
    tests: Object.entries(tests).map(([test, { _s, _f, _d, ...rest }]) => ({
      testId: testIdOf(groupId, test),
      title: partsOf(test).title,
      state: _s,
      isFlaky: _f,
      expectedStatus: 'passed',
      ...rest,
    })),
  },
  ...more,
});

export const uploadBody = (
  { projectId, keys }: Pick<BatchRecorder, 'projectId' | 'keys'>,
  suite: readonly SuiteGroup[],
  instances: readonly object[],
  more: object = {},
) => ({
  ...runBody(projectId, suite),
  recordKey: keys.readWrite,
  machineId: 'machine00001',
  framework: { type: 'vitest', version: '3.2.4', clientVersion: '1.10.0', frameworkConfig: {} },
  config: { currents: { recordKey: keys.readWrite, reportDir: '/project/.currents' } },
  instances,
  ...more,
});

export function sendUpload({ api }: Pick<BatchRecorder, 'api'>, body: unknown): Promise<Answer> {
  const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip', 'x-cmd-version': '1.10.0' };
  return api.send('POST', '/runs', Uint8Array.from(gzipSync(JSON.stringify(body))), { headers });
}

/** Uploads the instances. Throws unless the upload succeeds, and returns the body of the response. */
export async function upload(
  recorder: BatchRecorder,
  suite: readonly SuiteGroup[],
  instances: readonly object[],
  more: object = {},
): Promise<Answer['body']> {
  const answer = await sendUpload(recorder, uploadBody(recorder, suite, instances, more));
  // If the upload fails, the log says why.
  expect(answer, logLines.slice(-3).join('\n')).toMatchObject({ status: 200 });
  return answer.body;
}

const GROUP = 'retail';

export type UploadedRun = Pick<RecordedRun, 'runId' | 'instances'>;

/** Records a whole run of one group with one upload, for tests that need results but no streamed messages. */
export async function uploadRun(
  recorder: BatchRecorder,
  tests: Readonly<Record<TestName, TestState>>,
  more: object = {},
  group = GROUP,
): Promise<UploadedRun> {
  const bySpec = Map.groupBy(Object.entries(tests), ([test]) => partsOf(test).spec);
  const sent = [...bySpec].map(([spec, own]) => batchInstance(group, spec, Object.fromEntries(own)));
  const { runId } = await upload(recorder, [suiteGroup(group, Object.keys(tests))], sent, more);
  const ids = [...bySpec.keys()].map((spec) => [`${group} ${spec}`, deriveInstanceId({ runId, groupId: group, spec })]);
  return { runId, instances: Object.fromEntries(ids) };
}

/** Replaces the result of one test in an uploaded run. */
export const correctTest = (recorder: BatchRecorder, ciBuildId: string, test: TestName, state: TestState) =>
  upload(recorder, [], [batchInstance(GROUP, partsOf(test).spec, { [test]: state })], { ciBuildId, group: GROUP });
