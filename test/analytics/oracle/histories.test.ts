import fc from 'fast-check';
import { describe, test } from 'vitest';
import { sweepAnalytics } from '#shared/analytics/sweep-analytics.ts';
import { cases } from '#test/harness/cases.ts';
import { dyingAfter } from '#test/harness/interrupted-table.ts';
import { clock, keepOutbox, service } from '#test/harness/service.ts';
import { expectAnswer, throughHttp } from './asked.ts';
import { command, play } from './commands.ts';
import { question } from './questions.ts';
import { World } from './world.ts';

keepOutbox();

type Stage = Awaited<ReturnType<typeof service>>;

const TEN_MINUTES = 10 * 60_000;
/** More than the levels of summaries, because each sweep may build one. */
const SWEEPS = 3;

/** The work on the read model that a history does at random. */
const work = fc.oneof(
  { weight: 1, arbitrary: fc.record({ do: fc.constant('sweep' as const), twice: fc.boolean() }) },
  // A sweep that dies after this many writes.
  { weight: 4, arbitrary: fc.record({ do: fc.constant('crash' as const), writes: fc.nat({ max: 12 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('settle' as const) }) },
);
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ command }) },
  { weight: 4, arbitrary: fc.record({ work }) },
  { weight: 3, arbitrary: fc.record({ question }) },
);
type Work = typeof work extends fc.Arbitrary<infer Value> ? Value : never;

async function perform(stage: Stage, world: World, one: Work): Promise<void> {
  clock.advance(1);
  if (one.do === 'crash') {
    const services = dyingAfter(stage.services, one.writes);
    await sweepAnalytics(services, { remainingMilliseconds: () => 60_000, onFailure: () => {} }).catch(() => {});
    return;
  }
  const sweeps = one.do === 'settle' ? SWEEPS : one.twice ? 2 : 1;
  for (let sweep = 0; sweep < sweeps; sweep += 1) {
    if (one.do === 'settle') clock.advance(TEN_MINUTES);
    await stage.runSchedule('mergeAnalytics');
  }
  if (one.do === 'settle' || world.lag === 'ends') world.lag = 'none';
}

describe('For any history of runs, corrections, deletions and crashes', () => {
  test('the answers of analytics are those of the oracle', async () => {
    const stage = await service();
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 8, maxLength: 30 }),
        fc.array(question, { minLength: 6, maxLength: 10 }),
        async (steps, questions) => {
          const tenant = { ...stage, ...(await stage.tenant()) };
          const world = new World(tenant);
          const ask = throughHttp(tenant);
          for (const one of steps) {
            if ('command' in one) await play(world, one.command);
            else if ('work' in one) await perform(tenant, world, one.work);
            else if (world.lag === 'none') await expectAnswer(tenant, ask, world.runs, one.question);
          }
          await perform(tenant, world, { do: 'settle' });
          for (const one of questions) await expectAnswer(tenant, ask, world.runs, one);
        },
      ),
      { numRuns: cases(50, 3) },
    );
  });
});
