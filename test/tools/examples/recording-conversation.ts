/** Records examples of the protocol of our own reporters. */
import { liveGroup, liveInstances, startBody } from '#test/harness/live-recording.ts';
import { failed } from '#test/harness/recording-messages.ts';
import { runIdIn } from './run-conversation.ts';

type Send = (operationId: string, method: string, path: string, body?: object) => Promise<Record<string, unknown>>;

/** One job and one command of it, in all tries of the build. */
const LEG = '7c9e6679f1b34d2a';

const TEST = 'cart.spec.ts > cart > refuses a closed cart';

export async function recordWithReporter(request: Send, projectId: string): Promise<void> {
  const start = startBody([liveGroup('chromium', [TEST])], { ciBuildId: 'build-1060', leg: LEG });
  const { data } = await request('startRecording', 'POST', `/projects/${projectId}/recordings`, start);
  const runId = runIdIn(data);
  const of = `/recordings/${runId}`;
  const instances = liveInstances('chromium', { [TEST]: failed() });
  await request('recordBatch', 'POST', `${of}/batches`, { machineId: 'm1', sequence: 0, instances });
  const file = { groupId: 'chromium', spec: 'cart.spec.ts', testId: instances[0]?.tests[0]?.testId, attempt: 0 };
  const content = { type: 'screenshot', name: 'screenshot', fileName: 'cart.png', contentType: 'image/png' };
  const files = [
    { ...file, ...content, bytes: 48_213, sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' },
  ];
  await request('announceRecordedFiles', 'POST', `${of}/files`, { machineId: 'm1', files });
  await request('endMachine', 'POST', `${of}/end`, { machineId: 'm1', batches: 1 });
  const build = { ciBuildId: 'build-1060', try: 2, leg: LEG, process: '5f1d7a84' };
  await request('findLastFailed', 'POST', `/projects/${projectId}/last-failed`, build);
  await request('planShards', 'POST', `/projects/${projectId}/shard-plans`, {
    ciBuildId: 'build-1061',
    suite: '52fdfc072182654f',
    total: 2,
    files: [
      { groupId: 'chromium', spec: 'cart.spec.ts', units: [3] },
      { groupId: 'chromium', spec: 'tax.spec.ts', units: [1, 1] },
    ],
  });
}
