/** Hand-written contexts that resemble real failures. */
import type { InstanceContext, ListedTest, RunContext, TestContext } from '#shared/context/context-wire.ts';
import { at, step } from './steps.ts';

const link = (name: string) => ({ name, url: `https://files.example.com/${name}?signature=abc` });

const MESSAGE =
  'Error: \u001b[2mexpect(\u001b[22m\u001b[31mlocator\u001b[39m\u001b[2m).\u001b[22mtoHaveText\u001b[2m(\u001b[22m\u001b[32mexpected\u001b[39m\u001b[2m)\u001b[22m failed\n\nLocator:  getByTestId(\'total\')\nExpected: \u001b[32m"€ 19.00"\u001b[39m\nReceived: \u001b[31m"€ 18.00"\u001b[39m\nTimeout:  5000ms';

const error = {
  message: MESSAGE,
  stack: `${MESSAGE}\n    at CheckoutPage.expectTotal (/project/tests/pages/checkout.ts:41:37)\n    at /project/tests/cart.spec.ts:17:24`,
  location: at('/project/tests/cart.spec.ts', 17, 24),
  snippet:
    " \u001b[90m 15 |\u001b[39m   await cart.add('pen');\n \u001b[90m 16 |\u001b[39m   await cart.checkOut();\n\u001b[31m\u001b[1m>\u001b[22m\u001b[39m\u001b[90m 17 |\u001b[39m   await checkout.expectTotal('€ 19.00');\n \u001b[90m    |\u001b[39m                  ^\n \u001b[90m 18 |\u001b[39m });",
};

const failedStep = step('Expect "toHaveText" getByTestId(\'total\')', 'expect', 5004, {
  error: { ...error, stack: null },
});
const click = step("Click getByRole('button', { name: 'Check out' })", 'pw:api', 42);
const after = step('After Hooks', 'hook', 130, { steps: [step('Fixture "page"', 'fixture', 21)] });

/** A shop test with two failed attempts. */
export const failedTest: TestContext = {
  level: 'test',
  spec: 'cart.spec.ts',
  test: { title: ['cart', 'sums | equal articles'], status: 'failed', attempt: 1, totalAttempts: 2, duration: 5412 },
  error,
  otherAttempts: [
    {
      attempt: 0,
      status: 'failed',
      duration: 100,
      sameError: false,
      error: {
        message: 'Error: page.goto: net::ERR_CONNECTION_REFUSED',
        location: at('/project/tests/cart.spec.ts', 9, 14),
      },
    },
  ],
  errorContext: link('error-context.md'),
  traceErrorAnalysis: {
    consoleEntries: [
      {
        time: 1793613600123,
        messageType: 'error',
        text: 'TypeError: rate is undefined\n    at total (cart.js:7:3)',
        location: { url: 'https://shop.example.com/cart.js', lineNumber: 6, columnNumber: 2 },
      },
    ],
    networkRequests: [
      { time: 1793613600100, url: 'https://shop.example.com/api/rates', status: 500, method: 'GET' },
      { time: 1793613600110, url: 'https://shop.example.com/api/cart', status: -1, method: 'POST' },
    ],
  },
  failureContext: { failedStepIndex: 4, stepBefore: click, failedStep, stepAfter: { ...after, steps: [] } },
  steps: [
    step('Before Hooks', 'hook', 310, { steps: [step('Fixture "page"', 'fixture', 190)] }),
    step('total is shown', 'test.step', 5060, { error: { ...error, stack: null }, steps: [click, failedStep] }),
    after,
  ],
  stdout: ['cart has 1 article\n', 'check out\n'],
  stderr: [],
  assets: {
    traces: [link('trace.zip')],
    screenshots: [link('test-failed-1.png')],
    videos: [],
    attachments: [
      {
        name: 'cart',
        filename: 'cart.json',
        contentType: 'application/json',
        url: 'https://files.example.com/cart.json?signature=abc',
      },
    ],
    totals: { traces: 1, screenshots: 1, videos: 0, attachments: 1 },
  },
  meta: {
    projectId: 'c345ce',
    runId: '8f1c02d3a4b5c6d7',
    instanceId: '8f1c02d3a4b5c6d70a1b2c3d4e5f6071',
    testId: '1981448f0b79506fb670-c560c4def463a4d13522',
    signature: '6f1ed002ab5595859014ebf0951522d9',
    attempt: 1,
  },
  environment: {
    framework: { type: 'playwright', version: '1.65.1' },
    platform: { osName: 'linux', osVersion: 'Linux 6', browserName: 'chromium', browserVersion: null },
    project: 'retail',
  },
  git: {
    repository: 'https://git.example.com/shop/checkout.git',
    branch: 'net-prices',
    sha: '1560994359f3ef0cf70b4c8d9cccab5c25b9da90',
    pullRequest: { number: '12', url: 'https://git.example.com/shop/checkout/pull/12', baseBranch: 'main' },
  },
};

const { level: _, ...members } = failedTest;

const listed = (title: string, testId: string, more: Partial<ListedTest> = {}): ListedTest => ({
  ...members,
  testId,
  instanceId: failedTest.meta.instanceId,
  test: { ...failedTest.test, title: ['cart', title] },
  ...more,
});

const timedOut = { message: 'Test timeout of 30000ms exceeded.', stack: null, location: null, snippet: null };

const list: ListedTest[] = [
  listed('sums equal articles', 'cart-1'),
  listed('times out', 'cart-2', { error: timedOut, failureContext: null }),
  listed('sums other articles', 'cart-3', { error: { ...error, message: MESSAGE.replace('18.00', '17.50') } }),
];

/**
 * The first page of a run: three failed tests, two of which have errors that differ only in a number, and a flaky test.
 * The fourth failed test is on the next page.
 */
export const failedRun: RunContext = {
  level: 'run',
  runId: '8f1c02d3a4b5c6d7',
  projectId: 'c345ce',
  ciBuildId: 'build-1043',
  status: 'FAILED',
  completionState: 'COMPLETE',
  specs: [
    {
      spec: 'cart.spec.ts',
      groupId: 'retail',
      instanceId: failedTest.meta.instanceId,
      failed: 3,
      skipped: 0,
      flaky: 1,
    },
    {
      spec: 'odd|name.spec.ts',
      groupId: 'retail',
      instanceId: '8f1c02d3a4b5c6d7ffffffffffffffff',
      failed: 1,
      skipped: 2,
      flaky: 0,
    },
  ],
  totalFailedTests: 4,
  totalFlakyTests: 1,
  list: [
    ...list,
    listed('is shown in time', 'cart-4', {
      test: { ...failedTest.test, title: ['cart', 'is shown in time'], status: 'passed', attempt: 0 },
    }),
  ],
  total: 5,
  nextPage: 1,
  git: { repository: null, branch: 'main', sha: '1560994359f3ef0cf70b4c8d9cccab5c25b9da90', pullRequest: null },
};

export const failedInstance: InstanceContext = {
  level: 'instance',
  runId: failedRun.runId,
  instanceId: failedTest.meta.instanceId,
  spec: 'cart.spec.ts',
  list,
  total: 3,
  nextPage: false,
  environment: members.environment ?? { framework: null, platform: null, project: null },
  git: failedRun.git,
};
