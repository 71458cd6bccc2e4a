/**
 * Records a run in progress over HTTP, message by message, at the pace of its tests. All ids and times derive from the
 * story, so the next start sends the same messages again, and continues where the last one stopped.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { type AttemptFile, lastEndOf, type SentAttempt } from '#infra/demo/story/attempts.ts';
import { storyPlatform } from '#infra/demo/story/run-facts.ts';
import type { SentTest, StoryInstance, StoryMachine, StoryRun } from '#infra/demo/story/story.ts';
import { sendFile } from './send-file.ts';
import { Refused, type StorySender, senderTo } from './sender.ts';

export interface Recorder {
  readonly recordUrl: string;
  readonly recordKey: string;
  /** Returns the current time in epoch milliseconds. */
  readonly now: () => number;
}

/** Tests take this many times longer than in other runs, so that people can watch. */
const SLOWER = 3;

interface Stream {
  readonly run: StoryRun;
  readonly projectId: string;
  readonly send: StorySender;
  readonly signal: AbortSignal;
  readonly now: () => number;
}

/** Resolves when the run ends, when `signal` aborts, or when the service refuses because the run ended otherwise. */
export async function streamRun(
  recorder: Recorder,
  projectId: string,
  run: StoryRun,
  signal: AbortSignal,
): Promise<void> {
  const send = senderTo(recorder, signal);
  const stream: Stream = { run, projectId, send, signal, now: recorder.now };
  try {
    await Promise.all(run.machines.map((machine) => streamMachine(stream, machine)));
  } catch (error) {
    if (!signal.aborted && !(error instanceof Refused)) throw error;
  }
}

/** Maps a time of the story to the slowed-down time, in epoch milliseconds. */
const timeOf = ({ createdAt }: StoryRun, at: number): number => createdAt + (at - createdAt) * SLOWER;

async function until({ run, signal, now }: Stream, at: number): Promise<void> {
  await wait(Math.max(0, timeOf(run, at) - now()), undefined, { signal });
}

async function streamMachine(stream: Stream, { group, machineId, instances }: StoryMachine): Promise<void> {
  const { run, projectId, send } = stream;
  const begin = { projectId, ...run.facts, group, machineId, ...storyPlatform(group), fullTestSuite: run.suite };
  const { runId } = await send('POST', '/runs/v1', begin, machineId);
  for (const instance of instances) await streamInstance(stream, { group, machineId, runId: String(runId) }, instance);
}

interface Joined {
  readonly group: string;
  readonly machineId: string;
  readonly runId: string;
}

async function streamInstance(stream: Stream, joined: Joined, { spec, results }: StoryInstance): Promise<void> {
  const { machineId, runId, group: groupId } = joined;
  await until(stream, Date.parse(results.tests[0]?.attempts[0]?.startTime ?? '') || 0);
  const claim = { runId, groupId, machineId, spec, worker: { workerIndex: 0, parallelIndex: 0 } };
  const { instanceId } = await stream.send('POST', `/runs/${runId}/pw/instances/v1`, claim, `${machineId} ${spec}`);
  const ids = { runId, groupId, machineId, instanceId: String(instanceId), spec };
  for (const test of results.tests) await streamTest(stream, ids, test);
}

interface Ids {
  readonly instanceId: string;
  readonly [name: string]: string;
}

/** Sends one message after each attempt. The first one creates the test record. */
async function streamTest(stream: Stream, ids: Ids, test: SentTest): Promise<void> {
  let recordId = '';
  for (const [index, attempt] of test.attempts.entries()) {
    await until(stream, lastEndOf([attempt]));
    const attempts = test.attempts.slice(0, index + 1).map((one) => atPace(stream.run, one));
    const isLast = index === test.attempts.length - 1;
    const state = { _t: index, _s: attempt._s, _d: isLast, _f: isLast && test.isFlaky, attempts };
    const message = { ...state, annotations: test.annotations, tags: test.tags };
    const { testId, title, expectedStatus } = test;
    if (index > 0) await stream.send('PUT', `/test-record/${recordId}`, message);
    else {
      const created = await stream.send('POST', '/test-record', { ...message, ...ids, testId, title, expectedStatus });
      recordId = String(created.recordId);
    }
    for (const file of attempt.artifacts) await streamFile(stream, recordId, index, file);
  }
}

const atPace = (run: StoryRun, attempt: SentAttempt): SentAttempt => {
  const end = timeOf(run, lastEndOf([attempt]));
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
