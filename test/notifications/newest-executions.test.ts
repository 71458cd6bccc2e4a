/** The rule for the executions of a test in several builds and tries, as a table and against an oracle of its own. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ExecutionInRun, mergeExecutions, type TestInRun } from '#shared/results/builds/newest-executions.ts';
import { cases } from '#test/harness/cases.ts';

/** Executions in short: `A f p` is a run of build A with a failed and a passed execution, `f:unit` one of a job. */
function runsOf(text: string): TestInRun<string>[] {
  return text.split(' | ').map((run, position) => {
    const [build = '', ...executions] = run.split(' ');
    return {
      build,
      executions: executions.map((execution, index): ExecutionInRun<string> => {
        const [outcome, job] = execution.split(':');
        const of = `${position + 1}${index === 0 ? '' : `.${index + 1}`}`;
        return { failed: outcome === 'f', jobs: job === undefined ? undefined : job.split('+'), of };
      }),
    };
  });
}

const namesIn = (all: readonly ExecutionInRun<string>[]): string => all.map(({ of }) => of).join(' ');

describe('The executions of a test in several runs', () => {
  test.each([
    ['One failure counts', 'A f', '1', ''],
    ['A pass in a later build replaces it, and the test is not flaky', 'A f | B p', '', ''],
    ['A pass in a later try replaces it, and the test is flaky', 'A f | A p', '', '1'],
    ['A failure in a later build replaces a pass', 'A p | B f', '2', ''],
    ['A failure in a later try replaces an earlier failure', 'A f | A f', '2', ''],
    ['A run without the test changes nothing', 'A f | A | B', '1', ''],
    ['One pass of a later try replaces one of two failures of a matrix', 'A f f | A p', '1.2', '1'],
    ['Two passes replace both', 'A f f | A p p', '', '1 1.2'],
    ['A pass and a failure of a later try leave one failure', 'A f f | A p f', '2.2', '1'],
    ['Two tries with one pass each replace both', 'A f f | A p | A p', '', '1 1.2'],
    ['A later build replaces both, because it runs all its tests anew', 'A f f | B p', '', ''],
    ['A failed and a passed execution within one run leave the failure', 'A f p', '1', ''],
    ['A pass of another job replaces nothing', 'A f:unit | A p:e2e', '1', ''],
    ['A pass of the same job replaces the failure of this job', 'A f:e2e f:unit | A p:unit', '1', '1.2'],
    ['A failure of a known job is replaced before one that may be of it', 'A f:unit+e2e f:unit | A p:unit', '1', '1.2'],
    ['A pass without a job replaces a failure of any job', 'A f:unit | A p', '', '1'],
    ['A failure that may be of the job is replaced', 'A f:unit+e2e | A p:unit', '', '1'],
    ['Later builds also replace failures of other jobs', 'A f:unit | B p:e2e', '', ''],
  ])('%s: %s', (_, text, open, repaired) => {
    const merged = mergeExecutions(runsOf(text));
    expect([namesIn(merged.open), namesIn(merged.repaired)]).toEqual([open, repaired]);
  });

  test('The failures that count agree with an oracle that counts by build and job, for random runs', () => {
    const execution = fc.record({ failed: fc.boolean(), job: fc.constantFrom('unit', 'e2e') });
    const run = fc.record({ build: fc.constantFrom('A', 'B'), executions: fc.array(execution, { maxLength: 3 }) });
    fc.assert(
      fc.property(fc.array(run, { maxLength: 6 }), (runs) => {
        const sent = runs.map(({ build, executions }) => ({
          build,
          executions: executions.map(({ failed, job }): ExecutionInRun<string> => ({ failed, jobs: [job] })),
        }));
        // Only the runs since the newest build began to execute the test matter. In them, each job is on its own: it
        // has as many failures as failed before, less those that a later run of the job repeated.
        const executed = runs.filter(({ executions }) => executions.length > 0);
        const since = executed.findLastIndex(({ build }) => build !== executed.at(-1)?.build) + 1;
        let expected = 0;
        for (const job of ['unit', 'e2e']) {
          let left = 0;
          for (const { executions } of executed.slice(since)) {
            const own = executions.filter((one) => one.job === job);
            left = Math.max(0, left - own.length) + own.filter(({ failed }) => failed).length;
          }
          expected += left;
        }
        expect(mergeExecutions(sent).open).toHaveLength(expected);
      }),
      { numRuns: cases(5000, 500) },
    );
  });
});
