/**
 * Records a run in progress over HTTP, message by message, at the pace of its tests. All ids and times derive from the
 * story, so the next start sends the same messages again, and continues where the previous start stopped.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { type AttemptFile, findLastAttemptEnd, type SentAttempt } from '#infra/demo/story/attempts.ts';
import type { SentTest, StoryInstance, StoryMachine, StoryRun } from '#infra/demo/story/story-run.ts';
import { buildMachineBody, sendFile } from './messages.ts';
import { makeStorySender, Refused, type StorySender } from './sender.ts';

export interface Recorder {
  readonly recordUrl: string;
  readonly recordKey: string;
  /** Returns the current time in epoch milliseconds. */
  readonly now: () => number;
}

/** The factor by which tests of the run in progress are slowed down, so that people can watch it for ten minutes. */
const SLOWER = 6;

interface Stream {
  readonly run: StoryRun;
  readonly projectId: string;
  readonly send: StorySender;
  readonly signal: AbortSignal;
  readonly now: () => number;
}

/** Resolves when the run ends, `signal` aborts, or the service refuses a message, such as for an ended run. */
export async function streamRun(
  recorder: Recorder,
  projectId: string,
  run: StoryRun,
  signal: AbortSignal,
): Promise<void> {
  const send = makeStorySender(recorder, signal);
  const stream: Stream = { run, projectId, send, signal, now: recorder.now };
  try {
    await Promise.all(run.machines.map((machine) => streamMachine(stream, machine)));
  } catch (error) {
    if (!signal.aborted && !(error instanceof Refused)) throw error;
  }
}

/** Maps a time of the story to the slowed-down time, in epoch milliseconds. The first test begins as in the story. */
function toStreamTime({ machines }: StoryRun, at: number): number {
  const startTimes = machines.flatMap(({ instances }) => instances[0]?.results.tests[0]?.attempts[0]?.startTime ?? []);
  const firstStart = Math.min(...startTimes.map((time) => Date.parse(time)));
  return at <= firstStart ? at : firstStart + (at - firstStart) * SLOWER;
}

async function waitUntil({ run, signal, now }: Stream, at: number): Promise<void> {
  await wait(Math.max(0, toStreamTime(run, at) - now()), undefined, { signal });
}

async function streamMachine(stream: Stream, machine: StoryMachine): Promise<void> {
  const { run, projectId, send } = stream;
  const begin = { ...buildMachineBody(run, projectId, machine), fullTestSuite: run.suite };
  const { runId } = await send('POST', '/runs/v1', begin, machine.machineId);
  for (const instance of machine.instances) await streamInstance(stream, machine, String(runId), instance);
}

async function streamInstance(
  stream: Stream,
  { machineId, group: groupId }: StoryMachine,
  runId: string,
  { spec, results }: StoryInstance,
): Promise<void> {
  await waitUntil(stream, Date.parse(results.tests[0]?.attempts[0]?.startTime ?? '') || 0);
  const claim = { runId, groupId, machineId, spec, worker: { workerIndex: 0, parallelIndex: 0 } };
  const { instanceId } = await stream.send('POST', `/runs/${runId}/pw/instances/v1`, claim, `${machineId} ${spec}`);
  const ids = { runId, groupId, machineId, instanceId: String(instanceId), spec };
  for (const test of results.tests) await streamTest(stream, ids, test);
}

/** One message after each attempt. The first creates the test record, with `ids`. */
async function streamTest(stream: Stream, ids: object, test: SentTest): Promise<void> {
  let recordId = '';
  for (const [index, attempt] of test.attempts.entries()) {
    await waitUntil(stream, findLastAttemptEnd([attempt]));
    const attempts = test.attempts.slice(0, index + 1).map((one) => shiftAttempt(stream.run, one));
    const isLast = index === test.attempts.length - 1;
    const state = { _t: index, _s: attempt._s, _d: isLast, _f: isLast && test.isFlaky, attempts };
    const message = { ...state, annotations: test.annotations, tags: test.tags };
    const { testId, title, expectedStatus } = test;
    if (index > 0) await stream.send('PUT', `/test-record/${recordId}`, message);
    else {
      const answer = await stream.send('POST', '/test-record', { ...message, ...ids, testId, title, expectedStatus });
      recordId = String(answer.recordId);
    }
    for (const file of attempt.artifacts) await streamFile(stream, recordId, index, file);
  }
}

const shiftAttempt = (run: StoryRun, attempt: SentAttempt): SentAttempt => {
  const end = toStreamTime(run, findLastAttemptEnd([attempt]));
  return { ...attempt, startTime: new Date(end - attempt.duration).toISOString() };
};

async function streamFile(
  { send, signal }: Stream,
  recordId: string,
  attemptId: number,
  { path, name, type, contentType }: AttemptFile,
): Promise<void> {
  const body = { type, name, filename: path, artifactId: `${path} ${attemptId}`, attemptId, contentType };
  const { uploadUrl } = await send('POST', `/artifacts/test-record/${recordId}`, body);
  await sendFile(path, String(uploadUrl), signal);
}
