import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cases } from '#test/harness/cases.ts';
import { comparisonOf } from '#test/harness/comparisons.ts';
import { batchInstance, upload } from '#test/harness/recording-batch.ts';
import {
  COMMIT,
  failed,
  flaky,
  passed,
  pending,
  skipped,
  suiteGroup,
  type TestState,
  testIdOf,
} from '#test/harness/recording-messages.ts';
import { clock, service, type Tenant } from '#test/harness/service.ts';
import { signedIn, type Visitor } from '#test/harness/visitor.ts';

const GROUPS = ['retail', 'wholesale'] as const;
const ALWAYS = 'open.spec.ts > is open';

/** The outcomes that the test may have in one group of one run. `absent`: the run does not have the test. */
const STATES = {
  passed: passed(),
  failed: failed(),
  flaky: flaky(),
  pending: pending(),
  skipped: skipped({ _s: 'skipped' }),
  absent: undefined,
} as const satisfies Record<string, TestState | undefined>;
type Happened = keyof typeof STATES;

interface PlannedRun {
  readonly branch: string;
  /** One outcome per group. */
  readonly outcomes: readonly Happened[];
  /**
   * Whether the run is cancelled. A test that never reports keeps its run in progress until the run is cancelled. A
   * cancelled run cannot be the base of a comparison.
   */
  readonly isCancelled: boolean;
}

/** Failures are the most frequent outcome, so that long series of failures occur. */
const happened = fc.oneof(
  { weight: 5, arbitrary: fc.constant<Happened>('failed') },
  { weight: 4, arbitrary: fc.constantFrom<Happened>('passed', 'flaky', 'pending', 'skipped', 'absent') },
);
const plannedRun: fc.Arbitrary<PlannedRun> = fc.record({
  branch: fc.oneof({ weight: 3, arbitrary: fc.constant('main') }, fc.constant('feature')),
  outcomes: fc.tuple(happened, happened),
  isCancelled: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, fc.constant(true)),
});

/**
 * Returns the index of the run on main in which the latest series of failures of one group began. A passed or flaky
 * result ends a series.
 */
function oracle(history: readonly PlannedRun[], group: number, last: number): number | undefined {
  let first: number | undefined;
  for (const [index, { branch, outcomes }] of history.slice(0, last + 1).entries()) {
    if (branch !== 'main') continue;
    const outcome = outcomes[group];
    if (outcome === 'passed' || outcome === 'flaky') first = undefined;
    if (outcome === 'failed') first ??= index;
  }
  return first;
}

async function record(tenant: Tenant, name: string, index: number, plan: PlannedRun): Promise<string> {
  clock.advance(1000);
  const own = GROUPS.map((group, place) => {
    const state = STATES[plan.outcomes[place] ?? 'absent'];
    return { group, tests: { ...(state ? { [name]: state } : {}), [ALWAYS]: passed() } };
  });
  const waiting = plan.isCancelled ? ['late.spec.ts > never reports'] : [];
  const suite = own.map(({ group, tests }) => suiteGroup(group, [...Object.keys(tests), ...waiting]));
  const instances = own.flatMap(({ group, tests }) =>
    Object.entries(tests).map(([one, state]) => batchInstance(group, one.split(' > ')[0] ?? '', { [one]: state })),
  );
  const commit = { ...COMMIT, branch: plan.branch, sha: shaOf(index) };
  const { runId } = await upload(tenant, suite, instances, { ciBuildId: `${name} ${index}`, commit });
  if (plan.isCancelled) await tenant.api.put(`/runs/${runId}/cancel`);
  return runId;
}

/** The commit of a run. Pages show its first seven characters, which identify the run. */
const shaOf = (index: number): string => `${index}`.padStart(7, 'c').padEnd(40, '0');

/** The commits that a page names as the start of a failure on main. */
const commitsOn = (text: string): string[] =>
  [...text.matchAll(/ailing on main since [^,]+, \d\d:\d\d\s*, commit (\w{7})/g)].map(([, sha = '']) => sha);
const short = (index: number): string => shaOf(index).slice(0, 7);

let names = 0;

interface Recorded {
  readonly name: string;
  readonly history: readonly PlannedRun[];
  readonly runIds: readonly string[];
}

/** Checks that the comparison, the failure context and the page of a run name the expected first failure. */
async function checkRun(tenant: Tenant, visitor: Visitor, { name, history, runIds }: Recorded, last: number) {
  const runId = runIds[last] ?? '';
  const { sections } = await comparisonOf(tenant.reader, runId, '?limit=50');
  const failing = sections.filter(({ verdict }) => ['new', 'still_failing', 'failed'].includes(verdict));
  const tests = failing.flatMap((section) => section.tests);
  const page = await visitor.get(`/${tenant.organizationId}/${tenant.projectId}/runs/${runId}`);
  for (const [place, group] of GROUPS.entries()) {
    const found = tests.find(({ groupId }) => groupId === group);
    expect(found !== undefined).toBe(history[last]?.outcomes[place] === 'failed');
    if (!found) continue;
    const query = `instance_id=${found.instanceId}&test_id=${testIdOf(group, name)}`;
    const context = await tenant.reader.get(`/context?${query}&detail=summary`);
    expect(context.body.data.failingSince).toEqual(found.failingSince);
    const first = oracle(history, place, last);
    const expected = first === undefined ? undefined : { runId: runIds[first], sha: shaOf(first), mayBeEarlier: false };
    expect(found.failingSince).toEqual(expected && expect.objectContaining(expected));
    // The page of the run in which the failures began lists them as new failures instead of naming a commit.
    if (first !== undefined && first !== last) expect(commitsOn(page.text)).toContain(short(first));
  }
}

async function checkTest(tenant: Tenant, visitor: Visitor, { name, history }: Recorded) {
  const [specFilePath = '', testTitle = ''] = name.split(' > ');
  const { projectId } = tenant;
  const signed = await tenant.reader.post('/signature/test', { projectId, specFilePath, testTitle });
  const page = await visitor.get(`/${tenant.organizationId}/${projectId}/tests/${signed.body.data.signature}`);
  const firsts = GROUPS.flatMap((_, place) => oracle(history, place, history.length - 1) ?? []);
  expect(commitsOn(page.text)).toEqual(firsts.map(short));
}

test('A comparison, a failure context, the page of a run and the page of a test agree on the run in which a test began to fail', async () => {
  const tenant = await service();
  const visitor = await signedIn(tenant, 'member');
  await fc.assert(
    fc.asyncProperty(fc.array(plannedRun, { minLength: 2, maxLength: 7 }), async (history) => {
      names += 1;
      const name = `cart.spec.ts > number ${names}`;
      const runIds: string[] = [];
      for (const [index, plan] of history.entries()) runIds.push(await record(tenant, name, index, plan));
      const recorded = { name, history, runIds };
      await checkRun(tenant, visitor, recorded, history.length - 1);
      await checkRun(tenant, visitor, recorded, Math.floor(history.length / 2));
      await checkTest(tenant, visitor, recorded);
    }),
    { numRuns: cases(100, 3) },
  );
});
