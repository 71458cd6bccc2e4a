/** Random histories: runs that end, change and disappear while the clock crosses the boundaries of hours and days. */
import fc from 'fast-check';
import { resultPlan, runPlan } from './plan.ts';
import type { World } from './world.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const place = fc.nat({ max: 40 });

const record = fc.record({ do: fc.constant('record' as const), plan: runPlan });
const change = fc.oneof(
  fc.record({ do: fc.constant('correct' as const), place, of: place, result: resultPlan }),
  fc.record({ do: fc.constant('finish' as const), place, most: fc.constantFrom(1, 20) }),
  fc.record({ do: fc.constant('remove' as const), place }),
);
const wait = fc.record({
  do: fc.constant('wait' as const),
  milliseconds: fc.constantFrom(1, MINUTE, 11 * MINUTE, 40 * MINUTE, 5 * HOUR, 6 * HOUR, 25 * HOUR),
});

export const command = fc.oneof(
  { weight: 6, arbitrary: record },
  { weight: 3, arbitrary: change },
  { weight: 3, arbitrary: wait },
);
export type Command = typeof command extends fc.Arbitrary<infer Value> ? Value : never;

export function play(world: World, one: Command): Promise<void> {
  switch (one.do) {
    case 'record':
      return world.record(one.plan);
    case 'correct':
      return world.correct(one.place, one.of, one.result);
    case 'finish':
      return world.finish(one.place, one.most);
    case 'remove':
      return world.remove(one.place);
    case 'wait':
      return world.wait(one.milliseconds);
  }
}
