import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cases } from '#test/harness/cases.ts';
import { comparisonOf, namesIn, onBranch } from '#test/harness/comparisons.ts';
import { recordRun } from '#test/harness/recording.ts';
import { batchInstance, upload } from '#test/harness/recording-batch.ts';
import {
  failed,
  flaky,
  partsOf,
  passed,
  pending,
  skipped,
  suiteGroup,
  type TestState,
} from '#test/harness/recording-messages.ts';
import { clock, service, type Tenant } from '#test/harness/service.ts';

// Two spec files have tests with equal titles, and two titles differ only in a parameter.
const TESTS = ['cart.spec.ts > sums', 'tax.spec.ts > sums', 'tax.spec.ts > rounds [1]', 'tax.spec.ts > rounds [10]'];
const GROUPS = ['retail', 'wholesale'];

/** The result of a test. `none`: the test never reported. `absent`: the test is not in the suite of the run. */
const OUTCOMES = ['passed', 'failed', 'flaky', 'pending', 'skipped', 'none', 'absent'] as const;
type Happened = (typeof OUTCOMES)[number];

const STATES: Readonly<Record<Exclude<Happened, 'none' | 'absent'>, TestState>> = {
  passed: passed(),
  failed: failed(),
  flaky: flaky(),
  pending: pending(),
  // A streaming reporter sends `pending` for a test that could not run, but an upload sends `skipped`.
  skipped: skipped({ _s: 'skipped' }),
};

type Plan = Readonly<Record<string, Readonly<Record<string, Happened>>>>;

const planOf = (outcomes: readonly Happened[]): fc.Arbitrary<Plan> => {
  const group = fc.record(Object.fromEntries(TESTS.map((name) => [name, fc.constantFrom(...outcomes)])));
  return fc.record(Object.fromEntries(GROUPS.map((name) => [name, group])));
};

/** Each group has a test that always passes, so that every run has both groups. */
const ALWAYS = 'open.spec.ts > is open';

function groupsOf(plan: Plan): Record<string, Record<string, TestState | undefined>> {
  return Object.fromEntries(
    Object.entries(plan).map(([group, tests]) => {
      const known = Object.entries(tests).flatMap(([name, happened]): [string, TestState | undefined][] => {
        if (happened === 'absent') return [];
        return [[name, happened === 'none' ? undefined : STATES[happened]]];
      });
      return [group, { ...Object.fromEntries(known), [ALWAYS]: passed() }];
    }),
  );
}

async function record(tenant: Tenant, ciBuildId: string, plan: Plan, isUpload: boolean): Promise<string> {
  clock.advance(1000);
  const more = { ciBuildId, ...onBranch('main') };
  const groups = groupsOf(plan);
  if (!isUpload) {
    const streamed = Object.entries(groups).map(([name, tests]) => [name, { tests }] as const);
    return (await recordRun(tenant, Object.fromEntries(streamed), more)).runId;
  }
  const suite = Object.entries(groups).map(([name, tests]) => suiteGroup(name, Object.keys(tests)));
  const instances = Object.entries(groups).flatMap(([name, tests]) => {
    const done = Object.entries(tests).flatMap(([test, state]) => (state ? [[test, state] as const] : []));
    const files = Map.groupBy(done, ([test]) => partsOf(test).spec);
    return [...files].map(([spec, own]) => batchInstance(name, spec, Object.fromEntries(own)));
  });
  return (await upload(tenant, suite, instances, more)).runId;
}

/** The tests that each section must contain, derived from the specification and the reported results. */
function expected(now: Plan, base: Plan, hasEnded: boolean): Record<string, string[]> {
  const verdictOf = (here: Happened, before: Happened): string | undefined => {
    if (here === 'failed') return before === 'failed' ? 'still_failing' : 'new';
    if (here === 'flaky') return 'flaky';
    if (here === 'skipped') return 'not_run';
    if (before !== 'failed') return undefined;
    if (here === 'passed') return 'fixed';
    return here === 'pending' || hasEnded ? 'not_run' : undefined;
  };
  const named = GROUPS.flatMap((group) =>
    TESTS.flatMap((test): [string, string][] => {
      const verdict = verdictOf(now[group]?.[test] ?? 'absent', base[group]?.[test] ?? 'absent');
      return verdict === undefined ? [] : [[verdict, `${group} ${test}`]];
    }),
  );
  const sections = Map.groupBy(named, ([verdict]) => verdict);
  return Object.fromEntries([...sections].map(([verdict, all]) => [verdict, all.map(([, name]) => name).sort()]));
}

test('A comparison matches the reported results of both runs, whether they were streamed or uploaded, in progress or ended', async () => {
  const complete = OUTCOMES.filter((one) => one !== 'none');
  const pairs = fc.record({
    base: planOf(complete),
    now: planOf(OUTCOMES),
    isUpload: fc.record({ base: fc.boolean(), now: fc.boolean() }),
    isCancelled: fc.boolean(),
  });
  const stage = await service();
  await fc.assert(
    fc.asyncProperty(pairs, async ({ base, now, isUpload, isCancelled }) => {
      const tenant = await stage.tenant();
      const baseId = await record(tenant, 'base', base, isUpload.base);
      const runId = await record(tenant, 'run', now, isUpload.now);
      const isOpen = Object.values(now).some((tests) => Object.values(tests).includes('none'));
      if (isOpen && isCancelled) expect((await tenant.api.put(`/runs/${runId}/cancel`)).status).toBe(200);
      const comparison = await comparisonOf(tenant.reader, runId);
      expect(comparison).toMatchObject({ base: { runId: baseId }, isWhole: true });
      expect(namesIn(comparison)).toEqual(expected(now, base, !isOpen || isCancelled));
      for (const { total, tests } of comparison.sections) expect(tests).toHaveLength(total);
    }),
    { numRuns: cases(100, 4) },
  );
});
