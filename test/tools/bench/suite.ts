/** A deterministic test suite for both recording protocols, with 4 % failed and 2 % flaky tests. */
import { createHash } from 'node:crypto';

const FAILS_ONE_IN = 25;
const FLAKY_ONE_IN = 50;
const FLAKY_AT = 13;
const FAILS_AT = 7;
const STACK_LINES = 20;

export interface SuiteTest {
  readonly number: number;
  readonly testId: string;
  readonly title: readonly string[];
  readonly outcome: 'passed' | 'failed' | 'flaky';
  /** The first line of the test's errors. By default, it is the same for all tests. */
  readonly error?: string;
}

export interface SuiteSpec {
  readonly spec: string;
  readonly tests: readonly SuiteTest[];
}

const hex = (text: string, characters: number): string =>
  createHash('sha256').update(text).digest('hex').slice(0, characters);

export const outcomeOf = (number: number): SuiteTest['outcome'] =>
  number % FAILS_ONE_IN === FAILS_AT ? 'failed' : number % FLAKY_ONE_IN === FLAKY_AT ? 'flaky' : 'passed';

/** Appends spec files in which every test passes. */
export const withPassed = (suite: readonly SuiteSpec[], specs: number): SuiteSpec[] => [
  ...suite,
  ...suiteOf({ specs: suite.length + specs, testsPerSpec: suite[0]?.tests.length ?? 0 })
    .slice(suite.length)
    .map(({ spec, tests }) => ({ spec, tests: tests.map((test) => ({ ...test, outcome: 'passed' as const })) })),
];

export function suiteOf({ specs, testsPerSpec }: { specs: number; testsPerSpec: number }): SuiteSpec[] {
  return Array.from({ length: specs }, (_, file) => {
    const spec = `checkout/orders-${String(file).padStart(3, '0')}.spec.ts`;
    const tests = Array.from({ length: testsPerSpec }, (_, index) => {
      const number = file * testsPerSpec + index;
      return {
        number,
        testId: `${hex(spec, 20)}-${hex(String(number), 20)}`,
        title: ['checkout', 'several addresses', `keeps the discount of order ${number}`],
        outcome: outcomeOf(number),
      };
    });
    return { spec, tests };
  });
}

export const GROUP = 'chromium';
const MACHINE = 'ci-machine-1';

/** An error with a stack of about 2 KB. Each stack is different, because equal stacks would compress too well. */
function errorOf({ number, error }: Pick<SuiteTest, 'number' | 'error'>, attempt: number) {
  const first = error ?? 'Error: expect(received).toBe(expected)';
  const message = `${first}\n\nExpected: ${number * 7}\nReceived: ${number * 7 - attempt}`;
  const frames = Array.from({ length: STACK_LINES }, (_, line) => {
    const name = hex(`${number}/${attempt}/${line}`, 24);
    return `    at Orders.${name} (/home/ci/shop/src/orders/${hex(`${line}`, 8)}.ts:${number + line}:${line + 3})`;
  });
  const location = { file: '/home/ci/shop/tests/checkout/orders.spec.ts', line: 40 + (number % 200), column: 7 };
  return { message, stack: [message, ...frames].join('\n'), location };
}

/** The steps of a test: about twenty, as in a typical browser test. */
function stepsOf({ number }: Pick<SuiteTest, 'number'>): object[] {
  const step = (title: string, category: string, duration: number, steps: object[] = []) => ({
    title,
    category,
    duration,
    startTime: new Date(START + number).toISOString(),
    steps,
  });
  const articles = Array.from({ length: 5 }, (_, article) =>
    step(`adds article ${article}`, 'test.step', 40 + article, [
      step(`Click getByRole('button', { name: 'Add ${hex(`${number}/${article}`, 6)}' })`, 'pw:api', 31),
      step(`Expect "toHaveText"`, 'expect', 7),
    ]),
  );
  const hooks = [step('Fixture "page"', 'fixture', 90), step('Fixture "context"', 'fixture', 30)];
  return [
    step('Before Hooks', 'hook', 140, hooks),
    step(`Navigate to "/orders/${number}"`, 'pw:api', 210),
    ...articles,
    step('Expect "toBe"', 'expect', 3),
    step('After Hooks', 'hook', 12),
  ];
}

const START = Date.parse('2026-11-02T10:00:00.000Z');

const ATTEMPTS = { passed: ['passed'], failed: ['failed', 'failed'], flaky: ['failed', 'passed'] } as const;

/**
 * The attempts of a test: a failed test has two failed attempts, a flaky test fails once and then passes, and other
 * tests pass on their first attempt.
 */
export function attemptsOf(test: SuiteTest) {
  const states = ATTEMPTS[test.outcome];
  return states.map((state, attempt) => ({
    _s: state,
    _e: 3,
    attempt,
    status: state,
    startTime: new Date(START + test.number * 100 + attempt * 1000).toISOString(),
    duration: 400 + (test.number % 500),
    workerIndex: attempt,
    parallelIndex: 0,
    steps: stepsOf(test),
    stdout: [`order ${test.number} has ${test.number % 7} articles\n`, 'discount applied\n'],
    stderr: [],
    errors: state === 'failed' ? [errorOf(test, attempt)] : [],
  }));
}

export const stateOf = ({ outcome }: SuiteTest) => (outcome === 'failed' ? 'failed' : 'passed');

/** The body of the first request of a run, which is the same in both protocols. */
export const runBody = (
  of: { projectId: string; recordKey: string; ciBuildId: string },
  suite: readonly SuiteSpec[],
) => ({
  ...of,
  group: GROUP,
  machineId: MACHINE,
  platform: { osName: 'linux', osVersion: 'Debian - 12', browserName: '', browserVersion: '' },
  ci: { params: {}, provider: null, ciBuildId: { source: 'user', value: of.ciBuildId } },
  commit: {
    sha: hex(of.ciBuildId, 40),
    branch: 'main',
    authorName: 'Alex Doe',
    authorEmail: 'alex.doe@example.com',
    message: 'Keep the discount when an order is split\n',
    remoteOrigin: 'https://git.example.com/shop/checkout.git',
  },
  tags: ['nightly'],
  fullTestSuite: [
    {
      name: GROUP,
      tags: ['consumer'],
      tests: suite.flatMap(({ spec, tests }) =>
        tests.map(({ testId, title }) => ({ testId, title, spec, tags: [], isOnly: false })),
      ),
    },
  ],
});

/** The first and the last message about a test, numbered by `_t`. */
export function messagesOf(
  test: SuiteTest,
  of: { runId: string; instanceId: string; spec: string; machineId?: string },
) {
  const attempts = attemptsOf(test);
  const [first] = attempts;
  const open = { ...first, _s: 'pending', _e: 0, status: 'skipped', errors: [], duration: 0 };
  const members = { _v: 0, annotations: [], tags: ['smoke'] };
  const running = { ...members, _t: 1, _e: 2, _d: false, _s: 'pending', _f: false, attempts: [open] };
  const { machineId = MACHINE } = of;
  const identity = { groupId: GROUP, machineId, testId: test.testId, title: test.title };
  const began = { ...running, ...of, ...identity, _t: 0, expectedStatus: 'passed', retries: 1, timeout: 30_000 };
  const ended = { ...members, _t: 1, _e: 3, _d: true, _s: stateOf(test), _f: test.outcome === 'flaky', attempts };
  return { began, ended };
}

/** The published reporter says of a quick test twice that it has ended, because it announces no test that runs so shortly. */
export function messagesOfQuick(test: SuiteTest, of: Parameters<typeof messagesOf>[1]) {
  const { began, ended } = messagesOf(test, of);
  return { began: { ...began, ...ended, _t: began._t }, ended };
}

/** A finished spec file of a batch upload. */
export const instanceBody = ({ spec, tests }: SuiteSpec) => ({
  groupId: GROUP,
  spec,
  startTime: new Date(START).toISOString(),
  results: {
    tests: tests.map((test) => ({
      _t: START,
      testId: test.testId,
      title: test.title,
      state: stateOf(test),
      isFlaky: test.outcome === 'flaky',
      expectedStatus: 'passed',
      timeout: 30_000,
      retries: 1,
      tags: ['smoke'],
      annotations: [],
      attempts: attemptsOf(test),
    })),
  },
});
