/**
 * Outcomes of tests: their words, icons and badges. A badge has an icon and a word, so that people need not tell colors
 * apart.
 */
import type { Child, Html } from '#shared/engine/html/html.ts';
import type { Counters } from '#shared/model/results/outcomes.ts';
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

/** The beginning of the title of a browser tab, such as `✕ failed`. */
export const formatTabTitle = (outcome: ShownOutcome, label: string = getOutcomeWord(outcome)): string =>
  `${SIGNS[outcome]} ${label}`;

export type Counts = Omit<Counters, 'overall' | 'retries'>;

interface CountsProps {
  readonly counts: Counts;
  /** How many of the failures are new. Default: not known. */
  readonly newFailures?: number | undefined;
}

export const OutcomeCounts = ({ counts, newFailures }: CountsProps): Html => (
  <ul class="counts">
    {listOutcomeCounts(counts).map(({ outcome, count }) => (
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

interface OutcomeCount {
  readonly outcome: ShownOutcome;
  readonly count: number;
}

/** §3 Splits the counts by outcome. `passes` includes flaky tests, which are shown separately. */
export function listOutcomeCounts({ passes, failures, skipped, pending, flaky }: Counts): OutcomeCount[] {
  const counts: OutcomeCount[] = [
    { outcome: 'failed', count: failures },
    { outcome: 'flaky', count: flaky },
    { outcome: 'passed', count: passes - flaky },
    { outcome: 'skipped', count: skipped },
    { outcome: 'pending', count: pending },
  ];
  return counts.filter(({ count }) => count > 0);
}
