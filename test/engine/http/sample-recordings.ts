/** Sample requests of the protocol of our own reporters. */
import { dataOf, liveGroup, liveInstances, sendStart, startBody } from '#test/harness/live-recording.ts';
import { passed } from '#test/harness/recording-messages.ts';
import type { Tenant } from '#test/harness/service.ts';
import type { Ids, Need, Sample } from './sample-shapes.ts';

const TEST = 'tax.spec.ts > rounds';
const START = startBody([liveGroup('retail', [TEST])], { ciBuildId: 'live' });
const PLAN = {
  ciBuildId: 'live',
  suite: 'a'.repeat(16),
  total: 2,
  files: [{ groupId: 'retail', spec: 'tax.spec.ts', units: [1] }],
};
const at = { runId: 'recordingId' } as const;

export const sampleRecording = async (tenant: Tenant, isNeeded: (need: Need) => boolean): Promise<Partial<Ids>> =>
  isNeeded('recordingId') ? { recordingId: (await dataOf(sendStart(tenant, START))).runId } : {};

export const RECORDING_SAMPLES: Readonly<Record<string, Sample>> = {
  startRecording: { ids: ['projectId'], body: () => START, bad: { body: { ...START, groups: [] } } },
  findLastFailed: { ids: ['projectId'], body: () => ({ ciBuildId: 'live', try: 2 }), bad: { body: { ciBuildId: 7 } } },
  planShards: { ids: ['projectId'], body: () => PLAN, bad: { body: { ...PLAN, total: 0 } } },
  recordBatch: {
    ids: ['recordingId'],
    at,
    body: () => ({ machineId: 'm1', sequence: 0, instances: liveInstances('retail', { [TEST]: passed() }) }),
    bad: { body: { machineId: 'm1', sequence: -1, instances: [] } },
  },
  announceRecordedFiles: {
    ids: ['recordingId'],
    at,
    body: () => ({
      machineId: 'm1',
      files: [
        {
          groupId: 'retail',
          spec: 'tax.spec.ts',
          type: 'screenshot',
          name: 'cart.png',
          contentType: 'image/png',
          bytes: 9,
          sha256: 'a'.repeat(64),
        },
      ],
    }),
    bad: { body: { machineId: 'm1', files: [] } },
  },
  endMachine: {
    ids: ['recordingId'],
    at,
    body: () => ({ machineId: 'm1', batches: 0 }),
    bad: { body: { machineId: 7 } },
  },
};
