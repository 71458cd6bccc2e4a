import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sweepAnalytics } from '#shared/analytics/sweep-analytics.ts';
import { cases } from '#test/harness/cases.ts';
import { interruptedAt } from '#test/harness/interrupted-table.ts';
import { clock, keepOutbox, service } from '#test/harness/service.ts';
import { expectAnswer } from './asked.ts';
import { runPlan } from './plan.ts';
import { type AskedQuestion, question as questions } from './questions.ts';
import { inProcess } from './rules.ts';
import { World } from './world.ts';

keepOutbox();

const MINUTE = 60_000;

/** A run ends. Before one of its calls, a reader is interrupted by all work that is due some time later. */
const interleaving = fc.record({
  plan: runPlan,
  question: questions,
  // The first calls find out which runs are merged.
  call: fc.oneof({ weight: 3, arbitrary: fc.constantFrom(1, 2, 3) }, { weight: 1, arbitrary: fc.nat({ max: 9 }) }),
  isBroad: fc.nat({ max: 3 }).map((number) => number > 0),
  later: fc.array(fc.constantFrom(11 * MINUTE, 7 * 60 * MINUTE, 13 * 60 * MINUTE, 25 * 60 * MINUTE), {
    minLength: 1,
    maxLength: 3,
  }),
});

/** A period with all runs. */
const BROAD: AskedQuestion['ends'] = [{ hours: -700 }, { hours: 2 }];

const time = { remainingMilliseconds: () => 60_000 };

describe('A reader of analytics between whose calls summaries are merged, replaced and removed', () => {
  test('gets the answer of the oracle', async () => {
    const stage = await service();
    let happened = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(interleaving, { minLength: 4, maxLength: 8 }), async (all) => {
        const tenant = { ...stage, ...(await stage.tenant()) };
        const world = new World(tenant);
        for (const { plan, question, isBroad, call, later } of all) {
          const asked = { ...question, limit: 50, ...(isBroad ? { ends: BROAD } : {}) };
          await world.record({ ...plan, missing: 0 });
          clock.advance(1);
          await sweepAnalytics(stage.services, time);
          const act = async () => {
            for (const milliseconds of later) {
              clock.advance(milliseconds);
              await sweepAnalytics(stage.services, time);
            }
          };
          const interrupted = interruptedAt(stage.services, call, act);
          const services = { ...stage.services, ...interrupted.services };
          await expectAnswer(tenant, inProcess(services, tenant), world.runs, asked);
          happened += interrupted.happened() ? 1 : 0;
        }
      }),
      { numRuns: cases(42, 3) },
    );
    expect(happened).toBeGreaterThan(4);
  });
});
