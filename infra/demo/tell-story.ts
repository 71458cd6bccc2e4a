/** Records the story of the demo in the background, and shows the progress. */
import { printError, printLine, quiet, TERMINAL } from '#infra/cli/terminal/terminal.ts';
import type { StoryRecording } from './recording/record-story.ts';

const RUNS_PER_LINE = 10;
const CLEAR_LINE = '\r\u001b[2K';

/** Returns a function that stops the recording after the current run. The next start continues the recording. */
export function tellStory(recording: Omit<StoryRecording, 'onProgress' | 'signal'>): () => Promise<void> {
  const controller = new AbortController();
  const { signal } = controller;
  const completion = tell({ ...recording, signal, onProgress: makeStoryProgressPrinter() });
  return async () => {
    controller.abort();
    await completion;
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

/** One line counts the runs on a terminal. Otherwise, lines come at the start, for every ten runs, and at the end. */
function makeStoryProgressPrinter(): StoryRecording['onProgress'] {
  const isTerminal = process.stdout.isTTY;
  let began: number | undefined;
  return (recordedCount, total) => {
    const isFirst = began === undefined;
    began ??= performance.now();
    const seconds = ((performance.now() - began) / 1000).toFixed(0);
    const line = `Recording the demo, newest run first: ${recordedCount} of ${total} runs`;
    if (recordedCount === total) {
      const endMessage = `The demo is complete: ${total} runs of 30 days ${quiet(`after ${seconds} s`)}`;
      printLine(isTerminal ? CLEAR_LINE + endMessage : endMessage);
    } else if (isTerminal) TERMINAL.output.write(`${CLEAR_LINE}${quiet(line)}`);
    else if (isFirst || recordedCount % RUNS_PER_LINE === 0) printLine(line);
  };
}
