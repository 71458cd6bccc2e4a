import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cases } from '#test/harness/cases.ts';
import { service } from '#test/harness/service.ts';
import { sequence } from './command-sequences.ts';
import { type Command, GROUPS, RunOracle } from './oracle.ts';
import { RunDriver } from './run-driver.ts';

let builds = 0;
const build = () => {
  builds += 1;
  return `build ${builds}`;
};

describe('§3 A run under random sequences of commands', () => {
  test('A run under random sequences of commands gives the response that the oracle expects at each step, and has the expected state and events at the end', async () => {
    const stage = await service();
    await fc.assert(
      fc.asyncProperty(sequence, async (commands) => {
        const driver = new RunDriver(stage, build());
        const oracle = new RunOracle();
        for (const one of commands) {
          expect(await driver.send(one), JSON.stringify(one)).toBe(oracle.expect(one));
        }
        const counts = Object.fromEntries(GROUPS.map((group) => [group, oracle.counts(group)]));
        const isThere = oracle.state !== 'none' && oracle.state !== 'deleted';
        expect(await driver.seen()).toEqual(
          isThere ? { state: oracle.state, status: oracle.status, counts } : 'nothing',
        );
        expect(await driver.published()).toEqual(oracle.published);
      }),
      { numRuns: cases(50, 4) },
    );
  });

  test('A run publishes its end only once per group, even if its commands arrive concurrently', async () => {
    const stage = await service();
    await fc.assert(
      fc.asyncProperty(
        sequence,
        fc.array(fc.integer({ min: 2, max: 6 }), { minLength: 8 }),
        async (commands, sizes) => {
          const driver = new RunDriver(stage, build());
          // A machine that joins or claims after the end reopens the run, which then ends once more.
          const isLate = ({ do: what }: Command) => what === 'create' || what === 'claim';
          const left = commands.filter((one, index) => one.do !== 'wait' && (index === 0 || !isLate(one)));
          for (const size of [1, ...sizes, left.length]) {
            await Promise.all(left.splice(0, size).map((one) => driver.send(one)));
          }
          const published = await driver.published();
          const seen = await driver.seen();
          for (const group of GROUPS) {
            const own = published.filter((line) => line.endsWith(` ${group}`)).map((line) => line.split(' ')[0]);
            expect(own).toEqual(endsOf(seen, own));
          }
        },
      ),
      { numRuns: cases(15, 2) },
    );
  });
});

const ENDS: Readonly<Record<string, readonly string[]>> = {
  IN_PROGRESS: [],
  COMPLETE: ['RUN_FINISH'],
  CANCELED: ['RUN_CANCELED'],
  TIMEOUT: ['RUN_TIMEOUT'],
};

/**
 * The events to expect: the start, and the end that matches the state of the run. A deleted run may have published one
 * end event of any kind, or none.
 */
function endsOf(seen: unknown, published: readonly (string | undefined)[]): readonly (string | undefined)[] {
  if (typeof seen === 'object' && seen !== null && 'state' in seen)
    return ['RUN_START', ...(ENDS[String(seen.state)] ?? [])];
  const [, end] = published;
  return ['RUN_START', ...(end === undefined ? [] : [end])];
}
