/** Computes the expected counts of `GET /projects/{projectId}/insights`. */
import { isFlaky, statusOf } from './judgement.ts';
import { finalTests, groupsIn, type Period, type Question, runsCreatedIn } from './selection.ts';
import type { Outcome, SentRun } from './sent.ts';

const HOUR = 60 * 60_000;
const DAY = 24 * HOUR;
/** The first Monday after the Unix epoch, which began on a Thursday. */
const FIRST_MONDAY = 4 * DAY;

export type Resolution = '1h' | '1d' | '1w';

interface Counts {
  readonly runs: Readonly<
    Record<'total' | 'cancelled' | 'timeouts' | 'completed' | 'failed' | 'passed' | 'avgDurationSeconds', number>
  >;
  readonly tests: Readonly<Record<'total' | 'failed' | 'passed' | 'pending' | 'skipped' | 'flaky', number>>;
}

export function insights(runs: readonly SentRun[], question: Question, resolution: Resolution) {
  const { from, to } = question.period;
  const timeline: Record<string, Counts> = {};
  for (let start = alignedDown(from, resolution); start < to; start += widthOf(resolution)) {
    const bucket = { from: Math.max(from, start), to: Math.min(to, start + widthOf(resolution)) };
    timeline[start] = countsIn(runs, question, bucket);
  }
  return { overall: countsIn(runs, question, question.period), timeline };
}

const widthOf = (resolution: Resolution): number => (resolution === '1h' ? HOUR : resolution === '1d' ? DAY : 7 * DAY);

function alignedDown(time: number, resolution: Resolution): number {
  const offset = resolution === '1w' ? FIRST_MONDAY : 0;
  const width = widthOf(resolution);
  return Math.floor((time - offset) / width) * width + offset;
}

/** Counts the runs and tests of a period. Runs in progress count in `total` only. */
function countsIn(runs: readonly SentRun[], { filter }: Question, period: Period): Counts {
  const matching = runsCreatedIn(runs, period).filter((run) => groupsIn(run, filter).length > 0);
  const ended = matching.filter(({ ending }) => ending !== null);
  const ending = (wanted: SentRun['ending']) => ended.filter((run) => run.ending === wanted);
  const complete = ending('COMPLETE');
  const durations = complete.map(({ createdAt, endedAt }) => endedAt - createdAt);
  const average = durations.length === 0 ? 0 : durations.reduce((sum, one) => sum + one, 0) / durations.length;
  const tests = ended.flatMap((run) => {
    const groups = groupsIn(run, filter).map(({ name }) => name);
    return run.instances.filter(({ group }) => groups.includes(group)).flatMap(finalTests);
  });
  const having = (outcome: Outcome) => tests.filter((test) => test.outcome === outcome).length;
  return {
    runs: {
      total: matching.length,
      completed: complete.length,
      cancelled: ending('CANCELED').length,
      timeouts: ending('TIMEOUT').length,
      failed: ended.filter((run) => run.ending !== 'CANCELED' && statusOf(run) === 'FAILED').length,
      passed: complete.filter((run) => statusOf(run) === 'PASSED').length,
      avgDurationSeconds: average / 1000,
    },
    tests: {
      total: tests.length,
      failed: having('failed'),
      passed: having('passed'),
      pending: having('pending'),
      skipped: having('skipped'),
      flaky: tests.filter(isFlaky).length,
    },
  };
}
