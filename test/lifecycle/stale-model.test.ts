/** The run model with eventually consistent reads that show an old state, as DynamoDB may answer them. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cases } from '#test/harness/cases.ts';
import { readStale, serveStaleReads, service } from '#test/harness/service.ts';
import { sequence } from './command-sequences.ts';
import { GROUPS, RunOracle } from './oracle.ts';
import { RunDriver } from './run-driver.ts';

serveStaleReads();

let builds = 0;
const build = () => {
  builds += 1;
  return `build ${builds}`;
};

describe('§3 A run under random sequences of commands', () => {
  test.each([
    { staleness: 'second', state: 'the state of a second ago' },
    { staleness: 'write', state: 'the state before the last write of each row' },
  ] as const)(
    'gives the response that the oracle expects, and has the expected state and events at the end, even if eventually consistent reads show $state',
    async ({ staleness }) => {
      const stage = await service();
      const withLatest = async <Result>(act: () => Promise<Result>): Promise<Result> => {
        readStale('none');
        try {
          return await act();
        } finally {
          readStale(staleness);
        }
      };
      // A sweep finds rows that it missed a minute later, but never rows that it sees only after another write of them.
      const runSchedule = (name: string) =>
        staleness === 'write' ? withLatest(() => stage.runSchedule(name)) : stage.runSchedule(name);
      readStale(staleness);
      await fc.assert(
        fc.asyncProperty(sequence, async (commands) => {
          const driver = new RunDriver({ ...stage, runSchedule }, build());
          const oracle = new RunOracle();
          for (const one of commands) {
            expect(await driver.send(one), JSON.stringify(one)).toBe(oracle.expect(one));
          }
          // The live counters of a run in progress may lag behind, those of an ended run may not.
          const counts =
            oracle.state === 'IN_PROGRESS'
              ? expect.anything()
              : Object.fromEntries(GROUPS.map((group) => [group, oracle.counts(group)]));
          const isThere = oracle.state !== 'none' && oracle.state !== 'deleted';
          expect(await withLatest(() => driver.seen())).toEqual(
            isThere ? { state: oracle.state, status: oracle.status, counts } : 'nothing',
          );
          expect(await withLatest(() => driver.published())).toEqual(oracle.published);
        }),
        { numRuns: cases(20, 2) },
      );
    },
  );
});
