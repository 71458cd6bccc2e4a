import { expect, test } from 'vitest';
import { readSeries } from '#shared/analytics/read-series.ts';
import { sweepAnalytics } from '#shared/analytics/sweep-analytics.ts';
import { UNFILTERED } from '#test/harness/analytics.ts';
import { batchInstance, upload } from '#test/harness/recording-batch.ts';
import { attempt, failed, passed, suiteGroup } from '#test/harness/recording-messages.ts';
import { clock, START, service } from '#test/harness/service.ts';

const DAY = 24 * 3_600_000;
const SPECS = 5;
const TIME = { remainingMilliseconds: () => 60_000 };

/** Durations differ between tests, because equal values would compress to almost nothing. */
const stateOf = (place: number, build: number) =>
  (place % 100 === 0 ? failed : passed)({
    attempts: [
      attempt(place % 100 === 0 ? 'failed' : 'passed', { duration: 400 + ((place * 7919 + build * 104_729) % 9973) }),
    ],
  });

/**
 * Each case writes the summary of a six-hour period and the summaries of all longer periods around it. In production,
 * many six-hour summaries share the longer summaries. Each run takes about 19 more write units for its search index.
 * The facts of one run are computed before the next run is recorded. If the same names are added for several runs at
 * once, each refused write costs a unit, and chance decides how many there are: up to eleven for each further run.
 * Without them, all of 30 repetitions cost 139 and 142 units, of 145 and 156.
 */
test.each([
  [500, 3, 0.097],
  [2000, 2, 0.039],
])(
  'The totals of %i tests in %i runs cost at most %d write units per execution of a test, and a query for them at most 10 read units',
  async (tests, builds, most) => {
    const stage = await service();
    const names = Array.from({ length: tests }, (_, place) => `spec-${place % SPECS}.ts > group > test ${place}`);
    const suite = [suiteGroup('retail', names)];
    const table = stage.services.table.metered();
    const sweep = () => sweepAnalytics({ ...stage.services, table }, TIME);
    for (let build = 0; build < builds; build += 1) {
      const sent = Array.from({ length: SPECS }, (_, spec) => {
        const own = names.flatMap((name, place) =>
          place % SPECS === spec ? [[name, stateOf(place, build)] as const] : [],
        );
        return batchInstance('retail', `spec-${spec}.ts`, Object.fromEntries(own));
      });
      await upload(stage, suite, sent, { ciBuildId: `build-${build}` });
      clock.advance(1000);
      await sweep();
    }
    clock.advance(70 * DAY);
    for (let round = 0; round < 6; round += 1) {
      await sweep();
      clock.advance(60_000);
    }
    const reader = stage.services.table.metered();
    const rows = await readSeries(
      { table: reader },
      stage,
      { from: START.getTime() - DAY, to: START.getTime() + DAY },
      UNFILTERED,
    );
    expect(rows).toHaveLength(tests);
    expect(table.meter.writeUnits / (tests * builds)).toBeLessThanOrEqual(most);
    expect(reader.meter.readUnits).toBeLessThanOrEqual(10);
  },
);
