/** The outcome of a run as people see it: that of all tries of its build, once the newest one has ended. */
import type * as z from 'zod';
import type { Counters } from '#shared/model/results/outcomes.ts';
import type { CompletionState, Run } from '#shared/model/runs/run.ts';
import type { BuildOfTries } from '#shared/results/runs/run-wire.ts';
import { formatCount } from './format.tsx';
import { formatTabTitle, getOutcomeWord, type ShownOutcome } from './outcome.tsx';

type RunState = Pick<Run, 'status' | 'completionState'> & Partial<WithBuild>;

interface WithBuild {
  readonly runId: string;
  readonly build?: z.infer<typeof BuildOfTries> | undefined;
}

/** The merged view of all tries of a build, which its newest run shows once it has ended. */
export const findMergedBuild = ({ runId, build, completionState }: RunState): WithBuild['build'] =>
  build?.newestRunId === runId && completionState !== 'IN_PROGRESS' ? build : undefined;

const RUN_LABELS: Readonly<Record<CompletionState, string>> = {
  COMPLETE: '',
  IN_PROGRESS: '',
  CANCELED: 'cancelled',
  TIMEOUT: 'timed out',
};

export function getRunOutcome(run: RunState): { outcome: ShownOutcome; label: string } {
  const { status, completionState } = findMergedBuild(run) ?? run;
  const label = RUN_LABELS[completionState] || status.toLowerCase();
  if (completionState === 'CANCELED') return { outcome: 'skipped', label };
  if (status === 'RUNNING') return { outcome: 'running', label };
  return { outcome: status === 'PASSED' && completionState === 'COMPLETE' ? 'passed' : 'failed', label };
}

/** The title of the browser tab. Says how many tests failed, such as `✕ 3 failed`, unless the run failed for another reason, such as a timeout, and whether a failing run is still running. */
export function formatRunTabTitle(state: RunState, { failures }: Pick<Counters, 'failures'>): string {
  const { outcome, label } = getRunOutcome(state);
  const hasCount = label === getOutcomeWord('failed') && failures > 0;
  const isRunning = state.completionState === 'IN_PROGRESS' && outcome !== 'running';
  const word = hasCount ? `${formatCount(failures)} ${label}` : label;
  return formatTabTitle(outcome, isRunning ? `${word}, running` : word);
}
