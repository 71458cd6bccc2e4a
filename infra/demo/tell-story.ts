/** Records the story of the demo in the background, and shows the progress. */
import { printError, printLine, quiet, TERMINAL } from '#infra/cli/terminal.ts';
import type { StoryRecording } from './recording/record-story.ts';

const RUNS_PER_LINE = 10;
const CLEAR_LINE = '\r\u001b[2K';

/** Returns a function that stops the recording after the current run. The next start continues the recording. */
export function tellStory(recording: Omit<StoryRecording, 'onProgress' | 'signal'>): () => Promise<void> {
  const stopped = new AbortController();
  const { signal } = stopped;
  const told = tell({ ...recording, signal, onProgress: progress() });
  return async () => {
    stopped.abort();
    await told;
  };
}

async function tell(recording: StoryRecording): Promise<void> {
  try {
    // Loaded lazily, because a service without a story does not need it.
    const { recordStory } = await import('./recording/record-story.ts');
    await recordStory(recording);
  } catch (error) {
    if (!recording.signal.aborted)
      printError(
        `Recording the demo failed. Start the service again to continue. Cause: ${error instanceof Error ? error.stack : error}`,
      );
  }
}

/**
 * Shows the progress of the recording. On a terminal, one line counts the runs. Otherwise there is one line at the
 * start, one for every ten runs, and one at the end.
 */
function progress(): StoryRecording['onProgress'] {
  const isTerminal = process.stdout.isTTY;
  let began: number | undefined;
  return (recorded, total) => {
    const isFirst = began === undefined;
    began ??= performance.now();
    const seconds = ((performance.now() - began) / 1000).toFixed(0);
    const line = `Recording the demo, newest run first: ${recorded} of ${total} runs`;
    if (recorded === total) {
      const ended = `The demo is complete: ${total} runs of 30 days ${quiet(`after ${seconds} s`)}`;
      printLine(isTerminal ? CLEAR_LINE + ended : ended);
    } else if (isTerminal) TERMINAL.output.write(`${CLEAR_LINE}${quiet(line)}`);
    else if (isFirst || recorded % RUNS_PER_LINE === 0) printLine(line);
  };
}
