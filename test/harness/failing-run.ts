/** Records a run with one failed, one flaky and one passed test. The failed test has steps and output. */
import { recordRun } from './recording.ts';
import { attempt, error, failed, flaky, passed } from './recording-messages.ts';
import { service } from './service.ts';

export const SPEC = 'cart.spec.ts';
export const FAILING = `${SPEC} > cart > keeps its articles`;
export const FLAKY = `${SPEC} > cart > is emptied`;
export const GREEN = `${SPEC} > cart > is open`;

const step = (title: string, more: object = {}) => ({
  title,
  category: 'test.step',
  duration: 5,
  startTime: '2026-11-02T09:59:00.000Z',
  steps: [],
  ...more,
});
export const ERROR = error('Error: expected 2, received 3');
const STEPS = [
  step('Before Hooks', { category: 'hook' }),
  step('opens the cart', {
    steps: [step('Navigate', { category: 'pw:api' }), step('Expect "toBe"', { error: ERROR })],
  }),
  step('After Hooks', { category: 'hook' }),
];
const failing = failed({
  attempts: [
    attempt('failed', { attempt: 0, errors: [error('Error: expected 2, received 17')], steps: [step('first')] }),
    attempt('failed', { attempt: 1, steps: STEPS, stdout: ['two ', 'pieces\n'], stderr: ['careful\n'] }),
  ],
});

export async function failingRun() {
  const tenant = await service();
  const run = await recordRun(tenant, {
    retail: { tests: { [FAILING]: failing, [FLAKY]: flaky(), [GREEN]: passed() } },
  });
  const instanceId = run.instances[`retail ${SPEC}`] ?? '';
  const context = (query: string) => tenant.reader.get(`/context?${query}`);
  return { ...tenant, runId: run.runId, instanceId, records: run.records, context };
}

let shared: ReturnType<typeof failingRun> | undefined;
/** A run that the tests of a file share. They must not change it. */
export const sharedFailingRun = (): ReturnType<typeof failingRun> => (shared ??= failingRun());
