import fc from 'fast-check';
import { describe, test } from 'vitest';
import { sweepAnalytics } from '#shared/analytics/sweep-analytics.ts';
import { cases } from '#test/harness/cases.ts';
import { dyingAfter } from '#test/harness/interrupted-table.ts';
import { clock, service } from '#test/harness/service.ts';
import { type Ask, expectAnswer } from './asked.ts';
import { command, play } from './commands.ts';
import { question } from './questions.ts';
import { TIME } from './recorder.ts';
import { cheaply, type Site, siteInProcess, siteOverHttp } from './site.ts';
import { World } from './world.ts';

const TEN_MINUTES = 10 * 60_000;
/** The number of sweeps that bring the read model up to date. A sweep may build only one level of summaries. */
const SWEEPS = 3;

/** Maintenance of the read model, which a history contains at random moments. */
const work = fc.oneof(
  { weight: 1, arbitrary: fc.record({ do: fc.constant('sweep' as const), twice: fc.boolean() }) },
  // A sweep that crashes after this many writes.
  { weight: 4, arbitrary: fc.record({ do: fc.constant('crash' as const), writes: fc.nat({ max: 12 }) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('settle' as const) }) },
);
const step = fc.oneof(
  { weight: 5, arbitrary: fc.record({ command }) },
  { weight: 4, arbitrary: fc.record({ work }) },
  { weight: 3, arbitrary: fc.record({ question }) },
);
type Work = typeof work extends fc.Arbitrary<infer Value> ? Value : never;

async function perform({ services, sweep }: Site, world: World, one: Work): Promise<void> {
  clock.advance(1);
  if (one.do === 'crash') {
    await sweepAnalytics(dyingAfter(services, one.writes), { ...TIME, onFailure: () => {} }).catch(() => {});
    return;
  }
  const sweeps = one.do === 'settle' ? SWEEPS : one.twice ? 2 : 1;
  for (let done = 0; done < sweeps; done += 1) {
    if (one.do === 'settle') clock.advance(TEN_MINUTES);
    await sweep();
  }
  if (one.do === 'settle' || world.lag === 'ends') world.lag = 'none';
}

/**
 * Runs random histories, and compares the responses with the oracle during and after each of them. Returns the number
 * of responses.
 */
async function compareHistories(newSite: () => Promise<Site>, number: number): Promise<number> {
  let answers = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 6, maxLength: 20 }),
      fc.array(question, { minLength: 3, maxLength: 6 }),
      async (steps, questions) => {
        const site = await newSite();
        const ask: Ask = (...asked) => {
          answers += 1;
          return site.ask(...asked);
        };
        const { scope } = site;
        const world = new World(site.recorder);
        for (const one of steps) {
          if ('command' in one) await play(world, one.command);
          else if ('work' in one) await perform(site, world, one.work);
          else if (world.lag === 'none') await expectAnswer(scope, ask, world.runs, one.question);
        }
        await perform(site, world, { do: 'settle' });
        for (const one of questions) await expectAnswer(scope, ask, world.runs, one);
        await site.leave();
      },
    ),
    { numRuns: number },
  );
  return answers;
}

describe('Random histories of runs, corrections, deletions and crashes', () => {
  test('For random histories, analytics over HTTP return the same results as the oracle', async ({ annotate }) => {
    const stage = await service();
    const answers = await compareHistories(() => siteOverHttp(stage), cases(1));
    await annotate(`${answers} responses in ${cases(1)} histories`);
  });

  test('For random histories, the query functions of analytics return the same results as the oracle', async ({
    annotate,
  }) => {
    const cheap = cheaply(await service());
    const answers = await compareHistories(() => siteInProcess(cheap), cases(50, 3));
    await annotate(`${answers} responses in ${cases(50, 3)} histories`);
  });
});
