/** Generates random runs. They have few spec files, titles, branches and tags, so that many runs share them. */
import fc from 'fast-check';
import type { SentAttempt, SentError, SentGroup, SentRun, SentTest } from './sent.ts';

const anyOf = <One>(...values: readonly One[]) => fc.constantFrom(...values);

/**
 * The titles of the tests in a spec file. Two titles have the same text when their parts are joined, and two are sorted
 * differently by UTF-16 units than by code points.
 */
const TITLES = [
  ['cart', 'adds'],
  ['cart', 'adds > twice'],
  ['cart', 'adds', 'twice'],
  ['\uff5e'],
  ['\u{1f600}'],
] as const;
const SPECS = ['cart.spec.ts', 'pay/tax.spec.ts', 'ship.spec.ts'] as const;

const GROUPS: readonly SentGroup[] = [
  { name: 'web', tags: [], environment: 'staging' },
  { name: 'ios', tags: ['mobile'], environment: null },
  { name: 'android', tags: ['mobile', 'nightly'], environment: 'prod' },
];

const AUTHORS: readonly Pick<SentRun, 'authorName' | 'authorEmail'>[] = [
  { authorName: 'Ada', authorEmail: 'ada@example.com' },
  { authorName: 'Bob', authorEmail: null },
  { authorName: null, authorEmail: null },
];

const BRANCHES = ['main', 'feat/a', 'feat/b', null] as const;
/** There are only a few commits, so that several runs share a commit. */
const COMMITS = ['a'.repeat(40), 'b'.repeat(40), null] as const;
const RUN_TAGS = ['nightly', 'pull-request'] as const;

/** The tags and annotations that are set on the tests themselves. They differ from run to run. */
const EDITIONS: readonly Pick<SentTest, 'tags' | 'annotations'>[] = [
  { tags: [], annotations: [] },
  { tags: ['slow', 'core'], annotations: [] },
  // Some runs or groups also have `mobile` or `nightly`.
  { tags: ['mobile', 'core', 'nightly'], annotations: [] },
  { tags: ['core'], annotations: [{ type: 'issue', description: 'SHOP-1' }] },
  {
    tags: [],
    annotations: [
      { type: 'issue', description: null },
      { type: 'owner', description: 'Ada' },
    ],
  },
];

const ERRORS: readonly SentError[] = [
  {
    text: "Error: expect(locator).toBeVisible() failed\n\nLocator: getByTestId('order-header')\nExpected: visible",
    message: 'expect(locator).toBeVisible() failed',
    target: "getByTestId('order-header')",
    action: 'toBeVisible',
    category: 'Async Assertion',
  },
  {
    text: "TimeoutError: locator.click: Timeout 30000ms exceeded.\nCall log:\n  - waiting for getByRole('dialog')\n",
    message: 'locator.click: Timeout <n>ms exceeded.',
    target: "getByRole('dialog')",
    action: 'click',
    category: 'Action',
  },
  {
    text: 'Test timeout of 30000ms exceeded.',
    message: 'Test timeout of <n>ms exceeded.',
    target: null,
    action: null,
    category: 'Timeout',
  },
  {
    text: "Cannot find module './prices' from 'src/cart.test.ts'",
    message: 'Cannot find module <text> from <text>',
    target: null,
    action: null,
    category: 'Infra / Misc',
  },
];

const RESULTS = {
  passed: { outcome: 'passed', expectedStatus: 'passed', statuses: ['passed'] },
  failed: { outcome: 'failed', expectedStatus: 'passed', statuses: ['failed', 'timedOut'] },
  flaky: { outcome: 'passed', expectedStatus: 'passed', statuses: ['failed', 'passed'] },
  'flaky and failed': { outcome: 'failed', expectedStatus: 'passed', statuses: ['passed', 'failed'] },
  pending: { outcome: 'pending', expectedStatus: 'skipped', statuses: ['skipped'] },
  skipped: { outcome: 'skipped', expectedStatus: 'passed', statuses: ['skipped'] },
  interrupted: { outcome: 'failed', expectedStatus: 'passed', statuses: ['failed', 'interrupted'] },
  'failed as expected': { outcome: 'passed', expectedStatus: 'failed', statuses: ['failed'] },
} as const satisfies Record<string, Pick<SentTest, 'outcome' | 'expectedStatus'> & { statuses: readonly string[] }>;

export const resultPlan = fc.record({
  result: anyOf<keyof typeof RESULTS>('passed', 'passed', 'failed', 'flaky', 'pending', 'skipped'),
  rare: fc.option(anyOf<keyof typeof RESULTS>('interrupted', 'flaky and failed', 'failed as expected'), { freq: 6 }),
  duration: fc.integer({ min: 0, max: 20_000 }),
  /** Milliseconds after the start of the run, or `null` if the runner sends no start. */
  startsAfter: fc.option(fc.integer({ min: 0, max: 60_000 }), { freq: 8 }),
  errors: fc.tuple(anyOf(...ERRORS), anyOf(...ERRORS, null)),
});
export type ResultPlan = typeof resultPlan extends fc.Arbitrary<infer Value> ? Value : never;

export const runPlan = fc.record({
  groups: fc.subarray([...GROUPS], { minLength: 1, maxLength: 2 }),
  specs: fc.subarray([...SPECS], { minLength: 1, maxLength: 2 }),
  titles: fc.subarray([...TITLES], { minLength: 1, maxLength: 3 }),
  branch: anyOf(...BRANCHES),
  sha: anyOf(...COMMITS),
  author: anyOf(...AUTHORS),
  tags: fc.subarray([...RUN_TAGS]),
  edition: anyOf(...EDITIONS),
  results: fc.array(resultPlan, { minLength: 3, maxLength: 7 }),
  /** The number of tests whose results arrive late or never. */
  missing: anyOf(0, 0, 0, 1, 3, 20),
  /** Whether a machine has begun one of the missing tests. */
  begins: fc.boolean(),
  isCanceled: fc.boolean(),
});
export type RunPlan = typeof runPlan extends fc.Arbitrary<infer Value> ? Value : never;

export function testOf(
  plan: ResultPlan,
  { title, edition, start }: { title: readonly string[]; edition: RunPlan['edition']; start: number },
): SentTest {
  const { outcome, expectedStatus, statuses } = RESULTS[plan.rare ?? plan.result];
  const attempts = statuses.map((status, place): SentAttempt => {
    const failed = status === 'failed' || status === 'timedOut';
    const startedAt = plan.startsAfter === null ? null : start + plan.startsAfter + place * 1000;
    return { status, startedAt, duration: plan.duration + place, error: failed ? (plan.errors[place] ?? null) : null };
  });
  return { title, outcome, expectedStatus, attempts, ...edition, done: true };
}
