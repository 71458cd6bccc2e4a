/**
 * Outcomes of tests and runs: their words, icons, badges and bars. A badge has an icon and a word, so that people need
 * not tell colors apart.
 */
import type * as z from 'zod';
import type { Child, Html } from '#shared/engine/html/html.ts';
import type { Counters } from '#shared/model/results/outcomes.ts';
import type { CompletionState, Run } from '#shared/model/runs/run.ts';
import type { BuildOfTries } from '#shared/results/runs/run-wire.ts';
import { formatCount } from './format.tsx';
import { Icon } from './icon.tsx';
import type { IconName } from './icons.ts';

export type ShownOutcome = 'passed' | 'failed' | 'flaky' | 'skipped' | 'pending' | 'running';

const SIGNS: Readonly<Record<ShownOutcome, string>> = {
  passed: '✓',
  failed: '✕',
  flaky: '≈',
  skipped: '⊘',
  pending: '○',
  running: '…',
};

/** The icons of each outcome: `mark` is used alone or beside a word, and `plain` is used inside a filled circle. */
export const OUTCOME_ICONS: Readonly<Record<ShownOutcome, { readonly mark: IconName; readonly plain: IconName }>> = {
  passed: { mark: 'circle-check', plain: 'check' },
  failed: { mark: 'circle-x', plain: 'x' },
  flaky: { mark: 'shuffle', plain: 'shuffle' },
  skipped: { mark: 'circle-slash', plain: 'ban' },
  pending: { mark: 'circle-dashed', plain: 'circle-dashed' },
  running: { mark: 'loader-circle', plain: 'loader-circle' },
};

/**
 * §2.1 The words for outcomes that people see. In the API, `pending` is a test that was skipped on purpose, and
 * `skipped` is a test that could not run. These names differ from everyday language.
 */
const WORDS: Readonly<Record<ShownOutcome, string>> = {
  passed: 'passed',
  failed: 'failed',
  flaky: 'flaky',
  skipped: 'not run',
  pending: 'skipped',
  running: 'running',
};

export const getOutcomeWord = (outcome: ShownOutcome): string => WORDS[outcome];

interface BadgeProps {
  readonly outcome: ShownOutcome;
  readonly label?: Child;
}

export const OutcomeBadge = ({ outcome, label = getOutcomeWord(outcome) }: BadgeProps): Html => (
  <span class={`outcome ${outcome}`}>
    <Icon name={OUTCOME_ICONS[outcome].mark} size="small" /> <span>{label}</span>
  </span>
);

/** The icon of an outcome without a visible word. Screen readers still read the word. */
export const OutcomeMark = ({
  outcome,
  label = getOutcomeWord(outcome),
  size = 'large',
}: {
  readonly outcome: ShownOutcome;
  readonly label?: string;
  readonly size?: 'small' | 'large';
}): Html => (
  <span class={outcome} title={label}>
    <Icon name={OUTCOME_ICONS[outcome].mark} size={size} tone={outcome} />
    <span class="hidden-text">{label}</span>
  </span>
);

/** The outcome of a test as shown to people: a test that passed after failures is flaky. */
export const toShownOutcome = (state: string, isFlaky: boolean): ShownOutcome => {
  if (isFlaky) return 'flaky';
  if (state === 'passed' || state === 'failed' || state === 'skipped') return state;
  return 'pending';
};

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

/** The beginning of the title of a browser tab, such as `✕ failed`. */
export const formatTabTitle = (outcome: ShownOutcome, label: string = getOutcomeWord(outcome)): string =>
  `${SIGNS[outcome]} ${label}`;

/** Says how many tests failed, such as `✕ 3 failed`, unless the run failed for another reason, such as a timeout. */
export function formatRunTabTitle(state: RunState, { failures }: Pick<Counters, 'failures'>): string {
  const { outcome, label } = getRunOutcome(state);
  const hasCount = label === getOutcomeWord('failed') && failures > 0;
  return formatTabTitle(outcome, hasCount ? `${formatCount(failures)} ${label}` : label);
}

type Counts = Omit<Counters, 'overall' | 'retries'>;

interface CountsProps {
  readonly counts: Counts;
  /** How many of the failures are new. Default: not known. */
  readonly newFailures?: number | undefined;
}

export const OutcomeCounts = ({ counts, newFailures }: CountsProps): Html => (
  <ul class="counts">
    {listOutcomeCounts(counts).map(([outcome, count]) => (
      <li>
        <OutcomeBadge
          outcome={outcome}
          label={
            <>
              {formatCount(count)}{' '}
              <span class="word">
                {getOutcomeWord(outcome)}
                {outcome === 'failed' && newFailures !== undefined && `, ${formatNewFailures(newFailures)}`}
              </span>
            </>
          }
        />
      </li>
    ))}
  </ul>
);

const formatNewFailures = (count: number): string => (count === 0 ? 'none new' : `${formatCount(count)} new`);

/** §3 Splits the counts by outcome. `passes` includes flaky tests, which are shown separately. */
const listOutcomeCounts = ({ passes, failures, skipped, pending, flaky }: Counts): [ShownOutcome, number][] => {
  const all: [ShownOutcome, number][] = [
    ['failed', failures],
    ['flaky', flaky],
    ['passed', passes - flaky],
    ['skipped', skipped],
    ['pending', pending],
  ];
  return all.filter(([, count]) => count > 0);
};

interface BarProps {
  readonly counts: Counts;
  /** The number of tests of the run: in progress, it may be more than the sum of the counts. Default: that sum. */
  readonly total?: number | undefined;
  readonly isSmall?: boolean;
}

export function ProportionBar({ counts, total = 0, isSmall = false }: BarProps): Html {
  const parts = listOutcomeCounts(counts);
  const sum = parts.reduce((all, [, count]) => all + count, 0);
  const denominator = Math.max(1, sum, total);
  const least = 1.2;
  const widths = parts.map(([, count]) => Math.max(least, (count / denominator) * 100));
  const scale = sum >= denominator ? 100 / widths.reduce((all, width) => all + width, 0) : 1;
  let x = 0;
  return (
    <svg
      class={isSmall ? 'proportion small' : 'proportion'}
      role="img"
      aria-label={parts.map(([outcome, count]) => `${count} ${getOutcomeWord(outcome)}`).join(', ') || 'no results yet'}
    >
      <rect x="0" width="100%" height="8" />
      {parts.map(([outcome], index) => {
        const width = (widths[index] ?? 0) * scale;
        const at = x;
        x += width;
        return (
          <rect
            class={outcome}
            x={`${at.toFixed(2)}%`}
            width={`${Math.max(0.6, width - 0.3).toFixed(2)}%`}
            height="8"
            rx="1.5"
          />
        );
      })}
    </svg>
  );
}
