/** Records the story, the invented history of runs, newest run first, each once even after interruptions. */

import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { type AttemptFile, findLastAttemptEnd, type SentAttempt } from '#infra/demo/story/attempts.ts';
import { getStoryPlatform } from '#infra/demo/story/run-facts.ts';
import { buildHugeStory, buildStory } from '#infra/demo/story/story.ts';
import type { SentTest, StoryInstance, StoryMachine, StoryReport, StoryRun } from '#infra/demo/story/story-run.ts';
import { formatActorName, makePerson, OPERATOR } from '#shared/access/actor.ts';
import { ApiError } from '#shared/engine/errors.ts';
import type { Table } from '#shared/engine/table/table.ts';
import type { Write } from '#shared/engine/table/writes.ts';
import { startImport } from '#shared/imports/start-import.ts';
import { cancelOwnRun } from '#shared/lifecycle/cancel-run.ts';
import { endRun } from '#shared/lifecycle/end-run.ts';
import { noteProblems } from '#shared/lifecycle/note-problems.ts';
import { OUTBOX_PREFIX } from '#shared/model/events/outbox.ts';
import type { RunKey } from '#shared/model/keys.ts';
import { runs } from '#shared/model/runs/run.ts';
import { createProject } from '#shared/organizations/create-project.ts';
import { ORGANIZATION_LIMITS } from '#shared/organizations/limits.ts';
import { UploadRunBody } from '#shared/recording/published/batch-wire.ts';
import { uploadRun } from '#shared/recording/published/upload-run.ts';
import type { Services } from '#shared/services.ts';
import { makeStorySender, Refused, type StorySender } from './sender.ts';
import { readStoryFile, type StoryFile, writeStoryFile } from './story-file.ts';

export interface StoryRecording {
  readonly services: Services;
  readonly dataDirectory: string;
  /** Records the run in progress. */
  readonly recorder: Recorder;
  /** Aborting this signal ends the recording after the current run. */
  readonly signal: AbortSignal;
  /** Whether to record the project with 20,000 tests, too. */
  readonly huge?: boolean;
  /** Whether to record another run in progress if that of the first start has ended. */
  readonly live?: boolean;
  /** Called before each past run and after the last past run. */
  readonly onProgress: (recorded: number, total: number) => void;
}

/** Does nothing if the data folder has no story, or if all of it is recorded. */
export async function recordStory(recording: StoryRecording): Promise<void> {
  const story = await openStory(recording);
  if (!story) return;
  const { recorder, signal, dataDirectory } = recording;
  const allRuns = [...buildStory(story.startedAt), ...(recording.huge ? buildHugeStory(story.startedAt) : [])];
  const missingRuns = allRuns.filter(
    ({ ciBuildId, project }) => story.projects[project] && !story.recorded.includes(ciBuildId),
  );
  const live =
    missingRuns.find(({ special }) => special === 'live') ?? (recording.live ? buildNextLiveRun(recorder) : undefined);
  const recordedIds = new Set(story.recorded);
  let lastWrite = Promise.resolve();
  const note = ({ ciBuildId }: StoryRun) => {
    recordedIds.add(ciBuildId);
    lastWrite = lastWrite.then(() => writeStoryFile(dataDirectory, { ...story, recorded: [...recordedIds] }));
    return lastWrite;
  };
  /** The next start continues the run in progress if the service stops before its end. */
  const recordLive = async () => {
    if (!live) return;
    await streamRun(recorder, story.projects[live.project] ?? '', live, signal);
    if (!signal.aborted) await note(live);
  };
  await Promise.all([recordPast(recording, story, missingRuns, note), recordLive()]);
}

/** With `huge`, the story gets one more project, also if it was recorded before. */
async function openStory({ services, dataDirectory, huge }: StoryRecording): Promise<StoryFile | undefined> {
  const story = await readStoryFile(dataDirectory);
  if (!story || !huge || story.projects.monorepo) return story;
  const { organizationId } = story;
  const { projectId } = await createProject(services, { organizationId, name: 'Monorepo', actor: OPERATOR });
  const enlargedStory = { ...story, projects: { ...story.projects, monorepo: projectId } };
  await writeStoryFile(dataDirectory, enlargedStory);
  return enlargedStory;
}

/** The same run again, of a build of this moment. */
function buildNextLiveRun({ now }: Recorder): StoryRun | undefined {
  const run = buildStory(now()).find(({ special }) => special === 'live');
  if (!run) return undefined;
  const ciBuildId = `${run.ciBuildId}-${now()}`;
  const value = { source: 'user', value: ciBuildId };
  const facts = { ...run.facts, ciBuildId, ci: { ...run.facts.ci, ciBuildId: value } };
  const machines = run.machines.map((machine) => ({ ...machine, machineId: `${ciBuildId} ${machine.machineId}` }));
  return { ...run, ciBuildId, facts, machines };
}

async function recordPast(
  { services, signal, onProgress }: StoryRecording,
  { organizationId, adminAccountId, projects, recorded }: StoryFile,
  missingRuns: readonly StoryRun[],
  note: (run: StoryRun) => Promise<void>,
): Promise<void> {
  const past = missingRuns.filter(({ special }) => special !== 'live');
  const total = countStory(recorded) + missingRuns.length;
  for (const [index, run] of past.entries()) {
    onProgress(total - past.length + index, total);
    if (signal.aborted) return;
    const place = { organizationId, adminAccountId, projectId: projects[run.project] ?? '' };
    try {
      await recordRun(services, place, run);
    } catch (error) {
      // The user may have deleted the project or the run in the meantime.
      if (!(error instanceof ApiError)) throw error;
    }
    await note(run);
  }
  if (past.length > 0) onProgress(total, total);
}

/** The runs of the story itself. Each start with `--live` notes another run. */
const countStory = (builds: readonly string[]): number =>
  builds.filter((ciBuildId) => !NEXT_LIVE_RUN.test(ciBuildId)).length;

const NEXT_LIVE_RUN = /-\d{13}$/;

// Records a past run of the story as a batch upload. Idempotent, so an interrupted recording can be repeated.

/** Partition key prefix of the rows that say when a run times out. */
const DUE_RUNS = 'DUE#run#';

/** Receivers must not get events of last month, and the sweep must not time out a past run before its end. */
function dropConsequences(table: Table): Table {
  const transact: Table['transact'] = (writes) => table.transact(writes.filter((write) => !hasConsequence(write)));
  return new Proxy(table, {
    get: (target, name) => {
      if (name === 'transact') return transact;
      const member: unknown = Reflect.get(target, name);
      return typeof member === 'function' ? member.bind(target) : member;
    },
  });
}

function hasConsequence(write: Write): boolean {
  if (write.kind !== 'put') return false;
  const partition = String(write.item['pk']);
  return partition.startsWith(OUTBOX_PREFIX) || partition.startsWith(DUE_RUNS);
}

const buildMachineBody = ({ facts }: StoryRun, projectId: string, { group, machineId }: StoryMachine) => ({
  projectId,
  ...facts,
  group,
  machineId,
  ...getStoryPlatform(group),
});

export interface RecordedPlace {
  readonly organizationId: string;
  readonly projectId: string;
  /** The account that cancels one of the runs. */
  readonly adminAccountId: string;
}

export async function recordRun(services: Services, place: RecordedPlace, run: StoryRun): Promise<void> {
  const { organizationId, projectId } = place;
  let now = run.createdAt;
  // The clock is set back, and writes cause no webhook requests and no timeouts.
  const past = { ...services, now: () => now, table: dropConsequences(services.table) };
  const send = async (machine: StoryMachine, more: object) => {
    const body = { ...buildMachineBody(run, projectId, machine), ...more };
    return uploadRun(past, { organizationId, body: UploadRunBody.parse(body), clientVersion: undefined });
  };
  if (run.reports)
    return importReports(past, place, run, run.reports, (at) => {
      now = at;
    });
  const [first] = run.machines;
  if (!first) return;
  const { runId } = await send(first, { fullTestSuite: run.suite });
  for (const machine of run.machines) {
    now = machine.endsAt;
    const { artifactUploadUrls } = await send(machine, { instances: machine.instances });
    await Promise.all(artifactUploadUrls.map(({ path, uploadUrl }) => sendFile(path, uploadUrl)));
  }
  if (run.error !== undefined) await noteError(past, { organizationId, runId }, run.error);
  if (run.special === 'cancelled') {
    const actor = formatActorName(makePerson({ accountId: place.adminAccountId }));
    await cancelOwnRun(past, { organizationId, actor, body: { projectId, ciBuildId: run.ciBuildId, runId: null } });
  }
  if (run.special === 'timed out') {
    now += ORGANIZATION_LIMITS.inactivityTimeoutSeconds.default * 1000;
    await endRun(past, { organizationId, runId }, { ending: 'timeOut' });
  }
}

/** Each job of the build uploads its report when its tests have ended. The last one ends the run. */
async function importReports(
  services: Services,
  { organizationId, projectId }: RecordedPlace,
  { ciBuildId, facts: { commit, ci } }: StoryRun,
  reports: readonly StoryReport[],
  setClock: (at: number) => void,
): Promise<void> {
  for (const [index, { job, name, content, endsAt }] of reports.entries()) {
    setClock(endsAt);
    await startImport(services, {
      organizationId,
      projectId,
      file: new TextEncoder().encode(content),
      options: {
        name,
        ciBuildId,
        job,
        branch: commit.branch,
        sha: commit.sha,
        message: commit.message,
        author: commit.authorName,
        authorEmail: commit.authorEmail,
        repository: commit.remoteOrigin,
        githubRunId: ci.params.githubRunId,
        complete: index === reports.length - 1,
      },
    });
  }
}

async function noteError(services: Services, key: RunKey, message: string): Promise<void> {
  const run = await services.table.get(runs, key, { consistent: true });
  const problems = [{ kind: 'errorOutsideTests', message, file: null }] as const;
  if (run) await noteProblems(services, run, { source: 'story', problems, job: undefined });
}

// Records a run in progress over HTTP, message by message, at the pace of its tests. All ids and times derive from the
// story, so the next start sends the same messages again, and continues where the previous start stopped.

interface Recorder {
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
async function streamRun(recorder: Recorder, projectId: string, run: StoryRun, signal: AbortSignal): Promise<void> {
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

const FILES = join(import.meta.dirname, '../story/files');

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.md': 'text/markdown',
  '.png': 'image/png',
  '.webm': 'video/webm',
  '.zip': 'application/zip',
};

async function sendFile(path: string, uploadUrl: string, signal?: AbortSignal): Promise<void> {
  const headers = { 'content-type': CONTENT_TYPES[extname(path)] ?? 'application/octet-stream' };
  const body = await readFile(join(FILES, path));
  const answer = await fetch(uploadUrl, { method: 'PUT', headers, body, ...(signal ? { signal } : {}) });
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`The upload of ${path} failed with status ${answer.status}`);
}
