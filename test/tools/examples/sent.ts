/** Requests as reporters send them, for a spec file with one failed and one flaky test. */
import { createHash } from 'node:crypto';

export const BUILD = 'build-1042';
/** The headers in which the streaming reporter sends its versions. */
export const VERSIONS = { 'x-pw-version': '1.65.1', 'x-pwc-version': '2.5.0' };
const GROUP = 'chromium';
const SPEC = 'checkout/cart.spec.ts';
const MACHINE = 'ci-machine-1';
/** The start time of the uploaded run, which ended before the streamed run started. */
const UPLOADED_BEGAN = Date.parse('2026-11-02T09:59:00.000Z');
const BEGAN = Date.parse('2026-11-02T10:01:00.000Z');

const COMMIT = {
  sha: '1560994359f3ef0cf70b4c8d9cccab5c25b9da90',
  branch: 'main',
  authorName: 'Alex Doe',
  authorEmail: 'alex.doe@example.com',
  message: 'Keep the discount when an order is split',
  remoteOrigin: 'https://git.example.com/shop/checkout.git',
};
const OF_PULL_REQUEST = {
  ...COMMIT,
  ghaEventData: { htmlUrl: 'https://git.example.com/shop/checkout/pull/118', prTitle: 'Keep the discount' },
};
const PLATFORM = { osName: 'linux', osVersion: 'Debian - 12', browserName: '', browserVersion: '' };

interface SentTest {
  readonly testId: string;
  readonly title: readonly string[];
  readonly milliseconds: number;
  readonly outcome: 'failed' | 'passed';
  readonly attempts: readonly ('failed' | 'passed')[];
}

/** The id of the test that fails in all attempts. */
export const FAILED_TEST_ID = '1981448f0b79506fb670-c560c4def463a4d13522';

export const TESTS: readonly SentTest[] = [
  {
    testId: FAILED_TEST_ID,
    title: ['cart', 'sums equal articles'],
    milliseconds: 840,
    outcome: 'failed',
    attempts: ['failed', 'failed'],
  },
  {
    testId: '1981448f0b79506fb670-62852354deecb9c6ee63',
    title: ['cart', 'reserves the last piece in stock'],
    milliseconds: 1310,
    outcome: 'passed',
    attempts: ['failed', 'passed'],
  },
];

interface Account {
  readonly projectId: string;
  readonly recordKey: string;
}

/** The suite of a run, which has the same form in streamed and in uploaded runs. */
const suite = (name: string, tests: readonly SentTest[]) => [
  { name, tags: ['consumer'], tests: tests.map(({ testId, title }) => ({ testId, title, spec: SPEC, tags: [] })) },
];

export const run = ({ projectId }: Account) => ({
  projectId,
  ciBuildId: BUILD,
  group: GROUP,
  machineId: MACHINE,
  platform: PLATFORM,
  browser: { name: 'chromium', version: '141.0' },
  commit: OF_PULL_REQUEST,
  ci: { ciBuildId: { source: 'user', value: BUILD } },
  tags: ['nightly'],
  fullTestSuite: suite(GROUP, TESTS),
});

export const claim = () => ({
  groupId: GROUP,
  machineId: MACHINE,
  spec: SPEC,
  worker: { workerIndex: 0, parallelIndex: 0 },
});

const ERROR = {
  message: "Error: expect(received).toBe(expected)\n\nExpected: 'reserved'\nReceived: 'busy'",
  stack:
    "Error: expect(received).toBe(expected)\n\nExpected: 'reserved'\nReceived: 'busy'\n    at /shop/tests/checkout/cart.spec.ts:31:37",
  location: { file: '/shop/tests/checkout/cart.spec.ts', line: 31, column: 37 },
};

const isFlaky = ({ outcome, attempts }: SentTest): boolean => outcome === 'passed' && attempts.length > 1;

function attemptsOf({ attempts: states, milliseconds }: SentTest, began = BEGAN) {
  return states.map((state, attempt) => ({
    _s: state,
    attempt,
    status: state,
    startTime: new Date(began + (attempt * milliseconds) / states.length).toISOString(),
    duration: milliseconds / states.length,
    workerIndex: attempt,
    parallelIndex: 0,
    errors: state === 'failed' ? [ERROR] : [],
  }));
}

/** The first message about a test. */
export const began = (test: SentTest, of: { runId: string; instanceId: string }) => ({
  ...of,
  _t: 0,
  _s: 'pending',
  _d: false,
  _f: false,
  groupId: GROUP,
  machineId: MACHINE,
  testId: test.testId,
  spec: SPEC,
  title: test.title,
  expectedStatus: 'passed',
  annotations: [],
  tags: ['smoke'],
  attempts: attemptsOf(test)
    .slice(0, 1)
    .map((attempt) => ({ ...attempt, _s: 'pending', status: 'skipped', duration: 0, errors: [] })),
});

/** The last message about a test. */
export const ended = (test: SentTest) => ({
  _t: 1,
  _s: test.outcome,
  _d: true,
  _f: isFlaky(test),
  annotations: [{ type: 'owner', description: 'checkout-team' }],
  tags: ['smoke'],
  attempts: attemptsOf(test),
});

export interface File {
  readonly [member: string]: unknown;
  readonly type: string;
  readonly contentType: string;
  readonly content: string;
}

/** The file that the reporter attaches to a failed attempt. */
export const errorContext = ({ testId }: SentTest): File => ({
  type: 'attachment',
  name: 'error-context',
  filename: 'error-context.md',
  artifactId: createHash('md5').update(testId).digest('hex'),
  attemptId: 0,
  contentType: 'text/markdown',
  content: '# Page snapshot\n',
});

export const output = (): File => ({
  type: 'stdout',
  name: 'stdout',
  contentType: 'text/plain',
  content: 'request 1 to the warehouse\n',
});

const UNIT = 'unit';

/** The body of an upload with one finished spec file. */
export function upload({ projectId, recordKey }: Account) {
  const tests = TESTS.slice(1).map((test) => ({
    testId: test.testId,
    title: test.title,
    state: test.outcome,
    isFlaky: isFlaky(test),
    expectedStatus: 'passed',
    tags: [],
    annotations: [],
    attempts: attemptsOf(test, UPLOADED_BEGAN),
  }));
  const artifacts = [{ path: 'artifacts/cart.log', type: 'attachment', contentType: 'text/plain', name: 'cart.log' }];
  return {
    recordKey,
    projectId,
    ciBuildId: 'build-1043',
    group: UNIT,
    machineId: MACHINE,
    platform: PLATFORM,
    commit: COMMIT,
    tags: ['nightly'],
    framework: { type: 'vitest', version: '5.1.0', clientVersion: '1.10.0' },
    fullTestSuite: suite(UNIT, TESTS.slice(1)),
    instances: [{ groupId: UNIT, spec: SPEC, artifacts, results: { tests } }],
  };
}

export const testName = (projectId: string) => ({
  projectId,
  specFilePath: SPEC,
  testTitle: TESTS.at(-1)?.title,
});
