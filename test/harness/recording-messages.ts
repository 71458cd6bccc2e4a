/** Creates request bodies of the recording protocols as the Playwright reporter sends them, with default values. */
import { createHash } from 'node:crypto';

/** `spec > title > title`, for example `cart.spec.ts > cart > sums equal articles`. */
export type TestName = string;

export interface SuiteGroup {
  readonly name: string;
  readonly tags: readonly string[];
  readonly environment?: string;
  readonly tests: readonly { testId: string; spec: string; title: readonly string[]; tags: readonly string[] }[];
}

/** The state of a test in a message, without the sequence number `_t`. */
export interface TestState {
  readonly _s: 'passed' | 'failed' | 'pending' | 'skipped';
  readonly _d: boolean;
  readonly _f: boolean;
  readonly attempts: readonly Attempt[];
  readonly annotations: readonly { type: string; description?: string }[];
  readonly tags: readonly string[];
  /** The expected status, which only the first message about a test contains. */
  readonly expectedStatus?: string;
}

export interface Attempt {
  readonly _s: TestState['_s'];
  /** The runner's status: passed, failed, timedOut, skipped or interrupted. */
  readonly status: string;
  readonly startTime: string;
  readonly duration: number;
  readonly errors: readonly object[];
  readonly [member: string]: unknown;
}

/** Returns a test id in the format of Playwright. A test has a different id in each group. */
export const testIdOf = (group: string, test: TestName): string =>
  createHash('sha256').update(`${group}\n${test}`).digest('hex').slice(0, 40);

export function partsOf(test: TestName): { spec: string; title: string[] } {
  const [spec = '', ...title] = test.split(' > ');
  return { spec, title };
}

/** Returns one element of `fullTestSuite`. */
export const suiteGroup = (
  name: string,
  tests: readonly TestName[],
  more: { tags?: readonly string[]; environment?: string } = {},
): SuiteGroup => ({
  name,
  tags: [],
  ...more,
  tests: tests.map((test) => ({ testId: testIdOf(name, test), ...partsOf(test), tags: [], isOnly: false })),
});

export const COMMIT = {
  branch: 'main',
  sha: '1560994359f3ef0cf70b4c8d9cccab5c25b9da90',
  authorName: 'Alex Doe',
  authorEmail: 'alex.doe@example.com',
  message: 'Let traders see net prices\n',
  remoteOrigin: 'https://git.example.com/shop/checkout.git',
  ghaEventData: null,
};

/** Returns the body of `POST /runs/v1`. `more` replaces members. The default group is the first group of the suite. */
export const runBody = (projectId: string, suite: readonly SuiteGroup[], more: object = {}) => ({
  projectId,
  ciBuildId: 'build-1',
  group: suite[0]?.name ?? 'retail',
  platform: { browserName: '', browserVersion: '', osName: 'linux', osVersion: 'Debian - 12' },
  browser: { name: '', version: '' },
  commit: COMMIT,
  tags: [],
  fullTestSuite: suite,
  ...more,
});

export function attempt(status: string, more: Partial<Attempt> = {}): Attempt {
  const outcomes: Readonly<Record<string, TestState['_s']>> = { passed: 'passed', skipped: 'pending' };
  return {
    _s: outcomes[status] ?? 'failed',
    _e: 3,
    status,
    startTime: '2026-11-02T09:59:00.000Z',
    duration: 100,
    workerIndex: 0,
    parallelIndex: 0,
    steps: [],
    stdout: [],
    stderr: [],
    errors: status === 'failed' || status === 'timedOut' ? [error('Error: expected 2, received 3')] : [],
    ...more,
  };
}

export const error = (message: string) => ({
  message,
  stack: `${message}\n    at /project/tests/cart.spec.ts:28:37`,
  snippet: '> 28 | expect(pieces).toBe(2)',
  location: { file: '/project/tests/cart.spec.ts', line: 28, column: 37 },
});

const state = (_s: TestState['_s'], statuses: readonly string[], more: Partial<TestState>): TestState => ({
  _s,
  _d: true,
  _f: false,
  attempts: statuses.map((status, index) => attempt(status, { attempt: index })),
  annotations: [],
  tags: [],
  ...more,
});

type More = Partial<TestState>;
export const passed = (more: More = {}): TestState => state('passed', ['passed'], more);
export const failed = (more: More = {}): TestState => state('failed', ['failed', 'failed'], more);
/** A flaky test, which failed at first and then passed. */
export const flaky = (more: More = {}): TestState => state('passed', ['failed', 'passed'], { _f: true, ...more });
/** A test that was skipped on purpose. */
export const pending = (more: More = {}): TestState =>
  state('pending', ['skipped'], { annotations: [{ type: 'skip' }], expectedStatus: 'skipped', ...more });
/**
 * A test that could not run because a hook or an earlier test of a serial group failed. Reporters send `pending`, but
 * the API returns `skipped`.
 */
export const skipped = (more: More = {}): TestState => state('pending', ['skipped'], more);
/** A test whose status is not final yet. */
export const running = (more: More = {}): TestState => state('pending', ['skipped'], { _d: false, ...more });
