/**
 * Records the story in the demo organization, newest run first. Each run is recorded once, even after interruptions.
 */
import { type StoryRun, storyOf } from '#infra/demo/story/story.ts';
import { ApiError } from '#shared/engine/errors.ts';
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
  /** Called before each run and after the last one. */
  readonly onProgress: (recorded: number, total: number) => void;
}

/** Does nothing if the data folder has no story, or if all of it is recorded. */
export async function recordStory(recording: StoryRecording): Promise<void> {
  const story = await readStoryFile(recording.dataDirectory);
  if (!story) return;
  const runs = storyOf(story.startedAt);
  const missing = runs.filter(({ ciBuildId }) => !story.recorded.includes(ciBuildId));
  const live = missing.find(({ special }) => special === 'live');
  const recorded = new Set(story.recorded);
  let written = Promise.resolve();
  const note = ({ ciBuildId }: StoryRun) => {
    recorded.add(ciBuildId);
    written = written.then(() => writeStoryFile(recording.dataDirectory, { ...story, recorded: [...recorded] }));
    return written;
  };
  await Promise.all([
    recordPast(recording, story, missing, note),
    ...(live ? [recordLive(recording, story, live, note)] : []),
  ]);
}

type Note = (run: StoryRun) => Promise<void>;

async function recordPast(
  { services, signal, onProgress }: StoryRecording,
  { organizationId, adminAccountId, projects, recorded }: StoryFile,
  missing: readonly StoryRun[],
  note: Note,
): Promise<void> {
  const past = missing.filter(({ special }) => special !== 'live');
  const total = recorded.length + missing.length;
  for (const [index, run] of past.entries()) {
    onProgress(total - past.length + index, total);
    if (signal.aborted) return;
    const place = { organizationId, adminAccountId, projectId: projects[run.project] };
    await unlessRefused(recordRun(services, place, run));
    await note(run);
  }
  if (past.length > 0) onProgress(total, total);
}

/** Waits for a recording. Ignores refusals, because the user may have deleted the project or the run meanwhile. */
async function unlessRefused(recorded: Promise<void>): Promise<void> {
  await recorded.catch((error: unknown) => {
    if (!(error instanceof ApiError)) throw error;
  });
}

/**
 * Records the run that is in progress during the first start. If the service stops before the run ends, the next start
 * continues it.
 */
async function recordLive(
  { recorder, signal }: StoryRecording,
  { projects }: StoryFile,
  run: StoryRun,
  note: Note,
): Promise<void> {
  await streamRun(recorder, projects[run.project], run, signal);
  if (!signal.aborted) await note(run);
}
