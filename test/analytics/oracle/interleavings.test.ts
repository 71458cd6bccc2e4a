import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sweepAnalytics } from '#shared/analytics/sweep-analytics.ts';
import { cases } from '#test/harness/cases.ts';
import { interruptedAt } from '#test/harness/interrupted-table.ts';
import { clock, service } from '#test/harness/service.ts';
import { expectAnswer } from './asked.ts';
import { runPlan } from './plan.ts';
import { type AskedQuestion, question as questions } from './questions.ts';
import { TIME } from './recorder.ts';
import { inProcess } from './rules.ts';
import { cheaply, siteInProcess } from './site.ts';
import { World } from './world.ts';

const MINUTE = 60_000;

/**
 * A random scenario: a run ends, and then a query is interrupted before one of its table calls. During the
 * interruption, the clock advances one to three times, and the maintenance that is then due is done each time.
 */
const interleaving = fc.record({
  plan: runPlan,
  question: questions,
  // The first calls are interrupted more often, because they find out which runs are already merged.
  call: fc.oneof({ weight: 3, arbitrary: fc.constantFrom(1, 2, 3) }, { weight: 1, arbitrary: fc.nat({ max: 9 }) }),
  isBroad: fc.nat({ max: 3 }).map((number) => number > 0),
  later: fc.array(fc.constantFrom(11 * MINUTE, 7 * 60 * MINUTE, 13 * 60 * MINUTE, 25 * 60 * MINUTE), {
    minLength: 1,
    maxLength: 3,
  }),
});

/** A period that includes all runs. */
const BROAD: AskedQuestion['ends'] = [{ hours: -700 }, { hours: 2 }];

describe('An analytics query', () => {
  test('returns the same result as the oracle while summaries are merged, replaced and removed between its reads', async ({
    annotate,
  }) => {
    const cheap = cheaply(await service());
    const direct = cheap.services;
    let happened = 0;
    let reads = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(interleaving, { minLength: 4, maxLength: 8 }), async (all) => {
        const { scope, recorder, leave } = await siteInProcess(cheap);
        const world = new World(recorder);
        for (const { plan, question, isBroad, call, later } of all) {
          const asked = { ...question, limit: 50, ...(isBroad ? { ends: BROAD } : {}) };
          await world.record({ ...plan, missing: 0 });
          clock.advance(1);
          await sweepAnalytics(direct, TIME);
          const act = async () => {
            for (const milliseconds of later) {
              clock.advance(milliseconds);
              await sweepAnalytics(direct, TIME);
            }
          };
          const interrupted = interruptedAt(direct, call, act);
          const services = { ...direct, ...interrupted.services };
          await expectAnswer(scope, inProcess(services, scope), world.runs, asked);
          happened += interrupted.happened() ? 1 : 0;
          reads += 1;
        }
        await leave();
      }),
      // Each case makes four to eight queries.
      { numRuns: cases(9, 3) },
    );
    await annotate(`${happened} of ${reads} reads were interrupted`);
    expect(happened).toBeGreaterThan(4);
  });
});
