/** The attempts of a test, as the reporters send them. */
import type { FilesName, StoryFailure } from './failure-text.ts';
import type { Happening } from './plot.ts';

export interface AttemptFile {
  /** The path within the folder `files`. */
  readonly path: string;
  readonly type: 'attachment' | 'screenshot' | 'trace' | 'video';
  readonly name: string;
  readonly contentType: string;
}

export interface SentAttempt {
  readonly _s: 'failed' | 'passed' | 'pending';
  readonly attempt: number;
  readonly status: 'failed' | 'passed' | 'skipped' | 'timedOut';
  readonly startTime: string;
  readonly duration: number;
  readonly workerIndex: number;
  readonly parallelIndex: number;
  readonly steps: readonly object[];
  readonly stdout: readonly string[];
  readonly stderr: readonly string[];
  readonly errors: readonly object[];
  readonly artifacts: readonly AttemptFile[];
}

interface When {
  readonly startedAt: number;
  /** Duration of a passing attempt, in milliseconds. */
  readonly duration: number;
  readonly retries: number;
  readonly worker: number;
  /** Whether failed attempts have files. Old failures have none. */
  readonly hasFiles: boolean;
}

/** Time between two attempts, while the runner starts a new worker. */
const RESTART_MILLISECONDS = 900;

export function buildAttempts(happening: Happening, when: When): SentAttempt[] {
  const base = {
    workerIndex: when.worker,
    parallelIndex: when.worker,
    stdout: [],
    stderr: [],
    errors: [],
    artifacts: [],
  };
  const passes = (attempt: number, startedAt: number): SentAttempt => ({
    ...base,
    _s: 'passed',
    status: 'passed',
    attempt,
    startTime: formatTime(startedAt),
    duration: when.duration,
    steps: [],
  });
  if (happening.kind === 'passed') return [passes(0, when.startedAt)];
  if (happening.kind === 'pending')
    return [{ ...passes(0, when.startedAt), _s: 'pending', status: 'skipped', duration: 0 }];
  const { failure, kind } = happening;
  const duration = Math.round(when.duration * 0.6) + failure.waits;
  // Only the last failed attempt has files, because pages show only the files of that attempt.
  const last = kind === 'flaky' ? 0 : when.retries;
  const fails = (attempt: number): SentAttempt => ({
    ...base,
    _s: 'failed',
    status: failure.status ?? 'failed',
    attempt,
    duration,
    startTime: formatTime(when.startedAt + attempt * (duration + RESTART_MILLISECONDS)),
    steps: buildSteps(failure, duration),
    errors: [failure, ...(failure.laterErrors ?? [])].map(buildError),
    stdout: failure.stdout ?? [],
    stderr: failure.stderr ?? [],
    artifacts: when.hasFiles && attempt === last ? listAttemptFiles(failure) : [],
  });
  if (kind === 'flaky') return [fails(0), passes(1, when.startedAt + duration + RESTART_MILLISECONDS)];
  return Array.from({ length: when.retries + 1 }, (_, attempt) => fails(attempt));
}

const formatTime = (time: number): string => new Date(time).toISOString();

/** End of the last attempt, in epoch milliseconds. */
export function findLastAttemptEnd(attempts: readonly SentAttempt[]): number {
  return Math.max(...attempts.map(({ startTime, duration }) => Date.parse(startTime) + duration));
}

const toLocation = ({ file, line, column }: StoryFailure) => ({ file, line, column });

function buildError(failure: StoryFailure): object {
  const { message, file, line, column, snippet } = failure;
  const stack = `${message}\n    at ${file}:${line}:${column}`;
  return { message, stack, snippet, location: toLocation(failure) };
}

function buildSteps(failure: StoryFailure, duration: number): object[] {
  const { steps, failedStep, waits, message } = failure;
  const rest = Math.max(0, duration - waits);
  const each = Math.round((rest * 0.6) / Math.max(1, steps.length));
  const step = (title: string, category: string, duration: number) => ({ title, category, duration, steps: [] });
  return [
    step('Before Hooks', 'hook', Math.round(rest * 0.3)),
    ...steps.map((title) => step(title, 'pw:api', each)),
    {
      ...step(failedStep, failedStep.startsWith('Expect') ? 'expect' : 'pw:api', waits),
      error: { message, location: toLocation(failure) },
    },
    step('After Hooks', 'hook', Math.round(rest * 0.1)),
  ];
}

const listAttemptFiles = ({ files, hasVideo, snapshots = [] }: StoryFailure): AttemptFile[] => [
  ...(files ? listFilesOf(files) : []),
  ...(files && hasVideo
    ? [{ path: `${files}.webm`, type: 'video', name: 'video', contentType: 'video/webm' } as const]
    : []),
  ...snapshots.flatMap((snapshot) =>
    ['expected', 'actual', 'diff'].map((part): AttemptFile => {
      const path = `${snapshot}-${part}.png`;
      return { path, type: 'screenshot', name: path, contentType: 'image/png' };
    }),
  ),
];

const listFilesOf = (name: FilesName): AttemptFile[] => [
  { path: `${name}.png`, type: 'screenshot', name: 'screenshot', contentType: 'image/png' },
  { path: `${name}.zip`, type: 'trace', name: 'trace', contentType: 'application/zip' },
  { path: `${name}.md`, type: 'attachment', name: 'error-context', contentType: 'text/markdown' },
];
