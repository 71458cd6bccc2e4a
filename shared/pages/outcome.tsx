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

/** §2.1 calls a test that was skipped on purpose `pending`, and one that could not run `skipped`. People do not. */
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
  /** Default: the word of the outcome. */
  readonly label?: Child;
}

export const OutcomeBadge = ({ outcome, label = wordOf(outcome) }: BadgeProps): Html => (
  <span class={`outcome ${outcome}`}>
    <span aria-hidden="true">{SIGNS[outcome]}</span> {label}
  </span>
);

export const signOf = (outcome: ShownOutcome): string => SIGNS[outcome];

/** The outcome of a test as people see it: a flaky test passed after failures. */
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

/** All outcomes that occur, with their numbers. */
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

/** §3 A flaky test is also a pass, so passes without it are shown apart. */
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
