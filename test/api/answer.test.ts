import { describe, expect, test } from 'vitest';
import type {
  ComparedTest,
  FailureCause,
  RunComparison,
  Verdict,
} from '#shared/results/comparisons/comparison-wire.ts';
import type { ShownExecution } from '#shared/results/executions/latest-executions.ts';
import { formatSentence, writeAnswer, writeTestAnswer } from '#shared/results/failures/answer.ts';

const BASE: NonNullable<RunComparison['base']> = {
  ...{ runId: 'base', ciBuildId: 'build-1', createdAt: '2026-11-02T09:00:00.000Z', status: 'PASSED' },
  ...{ branch: 'main', sha: '30998b9aaaa', title: 'Sort prices' },
};
const SINCE: NonNullable<ComparedTest['failingSince']> = {
  ...{ runId: 'old', instanceId: 'old-a', testId: 't', createdAt: '2026-11-01T09:00:00.000Z', sha: '9642ed3bbbb' },
  ...{ title: 'Round prices', authorName: 'Kim', failures: 8, mayBeEarlier: false },
};

const compared = (title: string, more: Partial<ComparedTest> = {}): ComparedTest => ({
  ...{ runId: 'run', instanceId: 'run-a', testId: title, signature: title, title: ['cart', title], spec: 'a.spec.ts' },
  ...{ groupId: 'unit', attempts: 1, error: 'Error', cause: 'c1' },
  ...more,
});
const cause = (text: string, tests: number, files = 1, id = 'c1'): FailureCause => ({
  ...{ id, text, tests, files, received: [], values: 0 },
});

interface SectionFacts {
  readonly total?: number;
  readonly tests?: readonly ComparedTest[];
  readonly causes?: readonly FailureCause[];
  readonly causeCount?: number;
  readonly isLowerBound?: true;
}

function compareWith(
  sections: Partial<Record<Verdict, SectionFacts>>,
  more: Partial<RunComparison> = {},
): RunComparison {
  return {
    ...{ runId: 'run', projectId: 'shop', base: BASE, baseBranch: 'main', isWhole: true },
    sections: Object.entries(sections).map(([verdict, { tests = [compared('pays')], causes, ...section }]) => ({
      verdict: verdict as Verdict,
      total: section.total ?? tests.length,
      tests: [...tests],
      nextPage: false,
      ...(section.isLowerBound ? { isLowerBound: true as const } : {}),
      ...(causes ? { causes: [...causes], causeCount: section.causeCount ?? causes.length } : {}),
    })),
    ...more,
  };
}

const answer = (
  comparison: RunComparison,
  more: Omit<Parameters<typeof writeAnswer>[0], 'comparison'> = {},
): string[] => writeAnswer({ comparison, ...more }).map(formatSentence);

const one = [cause('received 404 instead of 200', 1)];
const execution = (status: ShownExecution['status']): ShownExecution =>
  ({ runId: 'next', status, commit: { branch: 'main' } }) as ShownExecution;

describe('The answer to a red run', () => {
  test.each<[what: string, sections: Parameters<typeof compareWith>[0], sentence: string]>([
    ['a single failure', { new: { causes: one } }, '1 failure: received 404 instead of 200.'],
    [
      'one cause',
      { new: { total: 866, causes: [cause('received 404', 866, 40)] } },
      '866 failures, 1 cause: received 404, in 40 files.',
    ],
    [
      'the cause of most failures',
      { new: { total: 300, causes: [cause('received 404', 290, 40), cause('closed', 10)], causeCount: 4 } },
      '300 failures, 4 causes: 290 times received 404, in 40 files.',
    ],
    [
      'the most frequent cause, even if it is old',
      {
        new: { total: 2, causes: [cause('closed', 2)] },
        still_failing: { total: 9, causes: [cause('received 404', 9)] },
      },
      '11 failures, 2 causes: 9 times received 404.',
    ],
    [
      'different causes',
      { new: { total: 2, causes: [cause('closed', 1), cause('late', 1, 1, 'c2')] } },
      '2 failures, 2 causes, the first: closed.',
    ],
    ['failures whose causes are not known', { new: { total: 2 } }, '2 failures.'],
  ])('begins with %s', (_what, sections, sentence) => {
    expect(answer(compareWith(sections))[0]).toBe(sentence);
  });

  test('says "at least" only if not all failures of the run were compared', () => {
    const cut = compareWith({ new: { total: 2000, isLowerBound: true } }, { isWhole: false });
    expect(answer(cut)[0]).toBe('At least 2000 failures.');
    // Only the tests that failed in the base were too many.
    const cutBase = compareWith({ new: { total: 2 }, fixed: { total: 100, isLowerBound: true } }, { isWhole: false });
    expect(answer(cutBase)[0]).toBe('2 failures.');
  });

  test('is empty if no test failed', () => {
    expect(writeAnswer({ comparison: compareWith({ flaky: {}, fixed: {}, not_run: {} }) })).toEqual([]);
  });

  test('says since which commit the failures are new, and where to begin', () => {
    expect(answer(compareWith({ new: { causes: one } })).slice(1)).toEqual([
      'It is new since the run of 30998b9 on main.',
      'Begin with pays.',
    ]);
    const some = compareWith({ new: { total: 3 }, still_failing: { tests: [compared('old')] } });
    expect(answer(some)[1]).toBe('3 of them are new since the run of 30998b9 on main.');
  });

  test('says of a newer run only how it differs, and not that anything happened since', () => {
    const sections = { new: {}, still_failing: { tests: [compared('old')] }, fixed: { total: 2 } };
    expect(answer(compareWith(sections), { isBaseNewer: true }).slice(1)).toEqual([
      '1 of them fails here, but not in the newer run of 30998b9 on main.',
      '1 fails in both runs.',
      '2 tests that failed in the newer run passed here.',
      'Begin with pays.',
    ]);
    expect(answer(compareWith({ still_failing: {} }), { isBaseNewer: true }).slice(1)).toEqual([
      '1 fails in both runs.',
    ]);
  });

  test('says that nothing is known about the time before if no earlier run can be compared', () => {
    expect(answer(compareWith({ failed: {} }, { base: null })).slice(1)).toEqual([
      'Which are new is not known, because main has no earlier complete run with the same groups.',
      'Begin with pays.',
    ]);
  });

  test('begins with the repair if new failures passed again, but only if every one did that ran again', () => {
    const two = compareWith({ new: { tests: [compared('pays'), compared('ships')] } });
    const nextOf = ({ testId }: ComparedTest) => (testId === 'pays' ? execution('passed') : undefined);
    expect(answer(two, { nextOf })).toEqual([
      'Probably repaired: the new failures passed again in the next run on main.',
      '2 failures.',
      'Both are new since the run of 30998b9 on main.',
    ]);
    const single = compareWith({ new: { causes: one } });
    expect(answer(single, { nextOf })[0]).toBe(
      'Probably repaired: the new failure passed again in the next run on main.',
    );
    expect(answer(two, { nextOf: () => execution('failed') }).at(-1)).toBe('Begin with pays.');
    expect(answer(two, { nextOf: () => undefined }).at(-1)).toBe('Begin with pays.');
  });

  test('says since whose commit the old failures fail, and that the change did not cause them', () => {
    const old = [compared('a', { failingSince: SINCE }), compared('b', { failingSince: SINCE })];
    expect(answer(compareWith({ still_failing: { tests: old } })).slice(1)).toEqual([
      '2 are still failing, since 9642ed3 by Kim, 8 runs.',
      'None is new, so this change did not cause them.',
    ]);
    const later = { ...SINCE, runId: 'later', createdAt: '2026-11-02T09:00:00.000Z', sha: null, authorName: null };
    const mixed = [compared('a', { failingSince: later }), compared('b', { failingSince: SINCE })];
    expect(answer(compareWith({ still_failing: { tests: mixed } }))[1]).toBe(
      '2 are still failing, the first since 9642ed3 by Kim, 8 runs.',
    );
    const single = [compared('a', { failingSince: { ...later, failures: 1, mayBeEarlier: true } })];
    expect(answer(compareWith({ still_failing: { tests: single } }))[1]).toBe(
      '1 is still failing, since this run, or earlier, 1 run.',
    );
  });

  test('says which failures are known to be flaky, never begins with one, and advises quarantine if all new ones are', () => {
    const knownFlaky = { events: 3, lastEventAt: '2026-11-01T09:00:00.000Z' };
    expect(answer(compareWith({ new: { tests: [compared('pays', { knownFlaky })] } })).slice(2)).toEqual([
      'pays is known to be flaky: 3 flaky executions in the 14 days before, on all branches.',
      'Probably not caused by this change: run it again, or quarantine it.',
    ]);
    const some = [compared('pays', { knownFlaky }), compared('ships', { knownFlaky }), compared('taxes')];
    expect(answer(compareWith({ new: { tests: some } })).slice(2)).toEqual([
      '2 are known to be flaky, such as pays.',
      'Begin with taxes, which is not known to be flaky.',
    ]);
    // The failure to begin with may be one of the other two.
    const cut = compareWith({ new: { tests: some.slice(0, 2), total: 4 } });
    expect(answer(cut).at(-1)).toBe('2 are known to be flaky, such as pays.');
  });

  test('counts tests that passed on a retry, tests that pass again, and problems outside tests', () => {
    const sections = { new: {}, flaky: { total: 2 }, fixed: { total: 1 } };
    expect(answer(compareWith(sections), { problems: 1 }).slice(2, -1)).toEqual([
      '2 more tests passed only on a retry.',
      '1 test that failed before passed.',
      '1 problem outside the tests fails the run, too.',
    ]);
    const others = { new: {}, flaky: { total: 1 }, fixed: { total: 5 } };
    expect(answer(compareWith(others), { problems: 2 }).slice(2, -1)).toEqual([
      '1 more test passed only on a retry.',
      '5 tests that failed before passed.',
      '2 problems outside the tests fail the run, too.',
    ]);
  });

  test('links to the causes, tests, runs and sections that it names', () => {
    const comparison = compareWith({ new: { total: 9, causes: [cause('received 404', 9)] }, fixed: {} });
    const targets = writeAnswer({ comparison })
      .flat()
      .flatMap((part) => (typeof part === 'string' || !part.to ? [] : [part.to.kind]));
    expect(targets).toEqual(['cause', 'section', 'run', 'section', 'test']);
    const single = writeAnswer({ comparison: compareWith({ new: { causes: one } }) })[0];
    expect(single?.[1]).toMatchObject({ quote: 'received 404 instead of 200', to: { kind: 'test' } });
  });
});

describe('The answer to a single test', () => {
  const failure = { cause: 'received 404', isFlaky: false, attempts: 1, failedAttempts: 1, furtherErrors: 0 };
  test.each<[what: string, more: Partial<typeof failure>, sentences: string]>([
    ['the cause', {}, '1 failure: received 404.'],
    ['how many more errors the test has', { furtherErrors: 1 }, '1 failure: received 404. The test has 1 more error.'],
    ['that both attempts failed', { attempts: 2, failedAttempts: 2 }, '1 failure: received 404. Both attempts failed.'],
    ['that all attempts failed', { attempts: 3, failedAttempts: 3 }, '1 failure: received 404. All 3 attempts failed.'],
    [
      'how many attempts failed',
      { attempts: 3, failedAttempts: 2 },
      '1 failure: received 404. 2 of 3 attempts failed.',
    ],
    [
      'that the test passed on a retry',
      { isFlaky: true, attempts: 2 },
      'Passed on a retry, after 1 failure: received 404.',
    ],
    ['nothing about a test without failure', { failedAttempts: 0 }, ''],
  ])('says %s', (_what, more, sentences) => {
    expect(
      writeTestAnswer({ ...failure, ...more })
        .map(formatSentence)
        .join(' '),
    ).toBe(sentences);
  });
});
