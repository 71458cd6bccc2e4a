/**
 * Computes the expected response of `GET /flaky/{projectId}`, without paging. Ignores the rules about runs with very
 * many failures or differing results, because generated runs are too small for them.
 */
import { isFlaky } from './judgement.ts';
import { ordered } from './order.ts';
import { ownTags, type Period, type TestExecution, testExecutions } from './selection.ts';
import type { SentRun } from './sent.ts';

const DAY = 24 * 3_600_000;
const SIX_HOURS = DAY / 4;
const Z = 1.645;

export type FlakyState = 'flaky' | 'suspected' | 'recovered' | 'broken';

export interface FlakyRow {
  readonly title: readonly string[];
  readonly signature: string;
  readonly spec: string;
  readonly state: FlakyState;
  readonly score: number;
  readonly events: number;
  readonly retried: number;
  readonly flips: number;
  readonly executions: number;
  readonly failures: number;
}

interface Flip {
  readonly count: number;
  readonly lastAt: number;
}

export function exploreFlaky(
  runs: readonly SentRun[],
  { now, states }: { readonly now: number; readonly states: readonly FlakyState[] },
  signatureOf: (spec: string, title: readonly string[]) => string,
): FlakyRow[] {
  const window = lastDays(now, 14);
  const all = Map.groupBy(triedIn(runs, window), testOf);
  const rows = [...all].flatMap(([, found]): FlakyRow[] => {
    const row = rowOf(found, lastDays(now, 7).from, signatureOf);
    return row && states.includes(row.state) ? [row] : [];
  });
  return ordered(rows, 'desc', ({ score, title, signature }) => [score, title.join(' > '), signature]);
}

/** The period of the last `days` days. It starts at a six-hour boundary. */
const lastDays = (now: number, days: number): Period => ({
  from: Math.floor((now - days * DAY) / SIX_HOURS) * SIX_HOURS,
  to: now + 1,
});

/** Executions whose final outcome is passed or failed. */
const triedIn = (runs: readonly SentRun[], period: Period): TestExecution[] =>
  testExecutions(runs, { period, filter: {} }).filter(
    ({ test }) => test.outcome === 'passed' || test.outcome === 'failed',
  );

const testOf = ({ instance, test }: TestExecution): string => JSON.stringify([instance.spec, test.title]);

function rowOf(
  found: readonly TestExecution[],
  recentFrom: number,
  signatureOf: (spec: string, title: readonly string[]) => string,
): FlakyRow | undefined {
  const recent = found.filter(({ run }) => run.createdAt >= recentFrom);
  const flips = flipsIn(found);
  const total = (some: readonly Flip[]) => some.reduce((sum, { count }) => sum + count, 0);
  const retried = retriedIn(found);
  const flipped = total(flips);
  const events = retried + flipped;
  const recentEvents = retriedIn(recent) + total(flips.filter(({ lastAt }) => lastAt >= recentFrom));
  const score = lowerBound(events, found.length);
  const onDefault = found.filter(({ run }) => run.branch === 'main');
  const state = stateOf({ events, score, recentEvents, recent: recent.length, onDefault });
  const [first] = found;
  if (!first || !state) return undefined;
  const { title } = first.test;
  const about = { title, signature: signatureOf(first.instance.spec, title), spec: first.instance.spec };
  const counts = { events, retried, flips: flipped, executions: found.length, failures: failuresIn(found) };
  return { ...about, state, score, ...counts };
}

const retriedIn = (found: readonly TestExecution[]): number => found.filter(({ test }) => isFlaky(test)).length;
const failuresIn = (found: readonly TestExecution[]): number =>
  found.filter(({ test }) => test.outcome === 'failed').length;

interface Evidence {
  readonly events: number;
  readonly score: number;
  readonly recentEvents: number;
  readonly recent: number;
  readonly onDefault: readonly TestExecution[];
}

function stateOf({ events, score, recentEvents, recent, onDefault }: Evidence): FlakyState | undefined {
  const isBroken = lowerBound(failuresIn(onDefault), onDefault.length) >= 0.8;
  if (recentEvents === 0 && isBroken) return 'broken';
  if (events === 0) return undefined;
  if (recentEvents === 0 && recent >= 20) return 'recovered';
  return events >= 2 && score >= 0.005 ? 'flaky' : 'suspected';
}

/**
 * Finds flips: different outcomes of a test on the same commit, in the same group and environment. The tags and
 * annotations of the test itself must also be equal.
 */
function flipsIn(found: readonly TestExecution[]): Flip[] {
  const known = found.filter(({ run }) => run.sha !== null);
  const comparable = Map.groupBy(known, (one) =>
    JSON.stringify([one.run.sha, one.group.name, one.group.environment, ownTags(one).sort(), one.test.annotations]),
  );
  return [...comparable.values()].flatMap((own) => {
    const failures = failuresIn(own);
    const count = Math.min(failures, own.length - failures);
    return count === 0 ? [] : [{ count, lastAt: Math.max(...own.map(({ run }) => run.createdAt)) }];
  });
}

/** The lower bound of the Wilson score interval. */
function lowerBound(part: number, whole: number): number {
  if (whole === 0) return 0;
  const rate = Math.min(1, part / whole);
  const spread = Z * Math.sqrt((rate * (1 - rate) + Z ** 2 / (4 * whole)) / whole);
  return Math.max(0, (rate + Z ** 2 / (2 * whole) - spread) / (1 + Z ** 2 / whole));
}
