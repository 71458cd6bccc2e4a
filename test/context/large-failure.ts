/** A large failure of an end-to-end test: many steps, much output, many files and a deep stack. */
import type { Step, TestContext } from '#shared/context/context-wire.ts';
import { failedTest } from './examples.ts';
import { at, step } from './steps.ts';

const times = <Made>(number: number, make: (index: number) => Made): Made[] =>
  Array.from({ length: number }, (_, index) => make(index));

/** A presigned link as a Lambda function creates it, with the temporary credentials of its role. */
const signed = (file: string): string =>
  `https://rundown-artifacts.s3.eu-central-1.amazonaws.com/runs/8f1c02d3a4b5c6d7/${file}?${new URLSearchParams({
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': 'ASIAEXAMPLEEXAMPLE12/20261102/eu-central-1/s3/aws4_request',
    'X-Amz-Date': '20261102T100000Z',
    'X-Amz-Expires': '900',
    'X-Amz-Security-Token': 'IQoJb3JpZ2luX2VjEXAMPLE'.repeat(40),
    'X-Amz-Signature': '5f2c8e1a'.repeat(8),
    'X-Amz-SignedHeaders': 'host',
    'response-content-disposition': `attachment; filename*=UTF-8''${file}`,
    'response-content-type': 'application/octet-stream',
  })}`;

const link = (name: string) => ({ name, url: signed(name) });

const message = `${failedTest.error?.message}\n\nCall log:\n${times(9, (index) => `  - ${index + 5} × locator resolved to <span data-testid="total">€ 18.00</span>\n    - unexpected value "€ 18.00"`).join('\n')}`;
const frames = [
  'at CheckoutPage.expectTotal (/project/tests/pages/checkout.ts:41:37)',
  'at /project/tests/checkout/cart.spec.ts:17:24',
  ...times(
    24,
    (index) =>
      `at Layer${index}.dispatch (/project/node_modules/some-framework/lib/dispatch-${index}.js:${index + 10}:15)`,
  ),
  'at process.processTicksAndRejections (node:internal/process/task_queues:105:5)',
];

const error = {
  message,
  stack: [message, ...frames.map((frame) => `    ${frame}`)].join('\n'),
  location: at('/project/tests/pages/checkout.ts', 41, 37),
  snippet: failedTest.error?.snippet ?? null,
};

const failedStep = step('Expect "toHaveText" getByTestId(\'total\')', 'expect', 5004, {
  error: { ...error, stack: null },
});

/** Sixty steps on three levels. */
const steps: Step[] = [
  ...times(9, (section) =>
    step(`fill in part ${section + 1} of the order form`, 'test.step', 800, {
      steps: times(5, (field) =>
        step(
          `Fill "value ${field}" getByRole('textbox', { name: 'Field ${field} of part ${section + 1}' })`,
          'pw:api',
          31,
        ),
      ),
    }),
  ),
  step('check the total', 'test.step', 5060, {
    error: { ...error, stack: null },
    steps: [
      step('wait for the sum', 'test.step', 20, { steps: [step("Wait for selector locator('.sum')", 'pw:api', 19)] }),
      failedStep,
    ],
  }),
  step('After Hooks', 'hook', 130, { steps: [step('Fixture "page"', 'fixture', 21)] }),
];

const screenshots = times(8, (index) => link(`step-${index + 1}.png`));
const attachments = times(5, (index) => ({
  ...link(`response-${index + 1}.json`),
  filename: `response-${index + 1}.json`,
  contentType: 'application/json',
}));

export const largeFailure: TestContext = {
  ...failedTest,
  spec: 'checkout/cart.spec.ts',
  error,
  otherAttempts: [
    { attempt: 0, status: 'failed', duration: 100, sameError: true, error: { message, location: error.location } },
  ],
  errorContext: link('error-context.md'),
  failureContext: {
    failedStepIndex: 57,
    stepBefore: step("Wait for selector locator('.sum')", 'pw:api', 19),
    failedStep,
    stepAfter: step('After Hooks', 'hook', 130),
  },
  steps,
  stdout: times(
    40,
    (index) =>
      `2026-11-02T10:00:${index + 10}.000Z info request ${index} of the order service answered within ${index * 7} ms\n`,
  ),
  assets: {
    traces: [link('trace.zip')],
    screenshots,
    videos: [link('video.webm')],
    attachments,
    totals: { traces: 1, screenshots: 8, videos: 1, attachments: 5 },
  },
};
