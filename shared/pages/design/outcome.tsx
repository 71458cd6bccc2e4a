/** Outcomes of tests and runs. Each has a sign and a word, never only a colour. */
import type { Child, Html } from '#shared/engine/html/html.ts';

export type ShownOutcome = 'passed' | 'failed' | 'flaky' | 'skipped' | 'pending' | 'running';

const SIGNS: Readonly<Record<ShownOutcome, string>> = {
  passed: '✓',
  failed: '✕',
  flaky: '≈',
  skipped: '⊘',
  pending: '○',
  running: '…',
};

/**
 * §2.1 The words for outcomes. `pending` is a test that was skipped on purpose, `skipped` one that could not run.
 * People say it differently.
 */
const WORDS: Readonly<Record<ShownOutcome, string>> = {
  passed: 'passed',
  failed: 'failed',
  flaky: 'flaky',
  skipped: 'not run',
  pending: 'skipped',
  running: 'running',
};

export const wordOf = (outcome: ShownOutcome): string => WORDS[outcome];

interface BadgeProps {
  readonly outcome: ShownOutcome;
  /** The text of the badge. Default: the name of the outcome. */
  readonly label?: Child;
}

export const OutcomeBadge = ({ outcome, label = wordOf(outcome) }: BadgeProps): Html => (
  <span class={`outcome ${outcome}`}>
    <span aria-hidden="true">{SIGNS[outcome]}</span> {label}
  </span>
);

export const signOf = (outcome: ShownOutcome): string => SIGNS[outcome];

/** The outcome of a test as shown to people: a test that passed after failures is flaky. */
export const outcomeOfTest = (state: string, isFlaky: boolean): ShownOutcome => {
  if (isFlaky) return 'flaky';
  if (state === 'passed' || state === 'failed' || state === 'skipped') return state;
  return 'pending';
};

interface RunState {
  readonly status: 'RUNNING' | 'FAILING' | 'FAILED' | 'PASSED';
  readonly completionState: 'COMPLETE' | 'IN_PROGRESS' | 'CANCELED' | 'TIMEOUT';
}

const RUN_LABELS: Readonly<Record<RunState['completionState'], string>> = {
  COMPLETE: '',
  IN_PROGRESS: '',
  CANCELED: 'cancelled',
  TIMEOUT: 'timed out',
};

export function runOutcome({ status, completionState }: RunState): { outcome: ShownOutcome; label: string } {
  const label = RUN_LABELS[completionState] || status.toLowerCase();
  if (completionState === 'CANCELED') return { outcome: 'skipped', label };
  if (status === 'RUNNING') return { outcome: 'running', label };
  return { outcome: status === 'PASSED' && completionState === 'COMPLETE' ? 'passed' : 'failed', label };
}

/** The beginning of the title of a browser tab: `✕ failed`. */
export const titleOf = (outcome: ShownOutcome, label: string = wordOf(outcome)): string => `${SIGNS[outcome]} ${label}`;

export const runTitle = (state: RunState): string => {
  const { outcome, label } = runOutcome(state);
  return titleOf(outcome, label);
};

interface Counts {
  readonly passes: number;
  readonly failures: number;
  readonly skipped: number;
  readonly pending: number;
  readonly flaky: number;
}

/** The number of tests for each outcome that occurs. */
export const OutcomeCounts = ({ counts }: { readonly counts: Counts }): Html => (
  <ul class="counts">
    {countsOf(counts).map(([outcome, count]) => (
      <li>
        <OutcomeBadge
          outcome={outcome}
          label={
            <>
              {count} <span class="word">{wordOf(outcome)}</span>
            </>
          }
        />
      </li>
    ))}
  </ul>
);

/** §3 Passes include flaky tests, which are shown separately. */
const countsOf = ({ passes, failures, skipped, pending, flaky }: Counts): [ShownOutcome, number][] => {
  const all: [ShownOutcome, number][] = [
    ['failed', failures],
    ['flaky', flaky],
    ['passed', passes - flaky],
    ['skipped', skipped],
    ['pending', pending],
  ];
  return all.filter(([, count]) => count > 0);
};
