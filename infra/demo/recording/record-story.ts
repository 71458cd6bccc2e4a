/** Records the story, the invented history of runs, newest run first, each once even after interruptions. */

import { buildHugeStory, buildStory } from '#infra/demo/story/story.ts';
import type { StoryRun } from '#infra/demo/story/story-run.ts';
import { OPERATOR } from '#shared/access/actor.ts';
import { ApiError } from '#shared/engine/errors.ts';
import { createProject } from '#shared/organizations/create-project.ts';
import type { Services } from '#shared/services.ts';
import { recordRun } from './record-run.ts';
import { readStoryFile, type StoryFile, writeStoryFile } from './story-file.ts';
import { type Recorder, streamRun } from './stream-run.ts';

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
  const missingLiveRun = missingRuns.find(({ special }) => special === 'live');
  const nextLiveRun = recording.live ? buildNextLiveRun(recorder) : undefined;
  const live = missingLiveRun ?? nextLiveRun;
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
  const pastRuns = missingRuns.filter(({ special }) => special !== 'live');
  const total = countStory(recorded) + missingRuns.length;
  for (const [index, run] of pastRuns.entries()) {
    onProgress(total - pastRuns.length + index, total);
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
  if (pastRuns.length > 0) onProgress(total, total);
}

/** The runs of the story itself. Each start with `--live` notes another run. */
const countStory = (builds: readonly string[]): number =>
  builds.filter((ciBuildId) => !NEXT_LIVE_RUN.test(ciBuildId)).length;

const NEXT_LIVE_RUN = /-\d{13}$/;
