import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { runs } from '#shared/model/runs/run.ts';
import { IS_DEEP, sampled } from '#test/harness/cases.ts';
import { recordRun, startRun } from '#test/harness/recording.ts';
import { passed, suiteGroup } from '#test/harness/recording-messages.ts';
import { service } from '#test/harness/service.ts';
import { resultsDirectory, runSample, runUpload } from './programs.ts';

async function setting() {
  vi.useRealTimers();
  return service();
}
type Setting = Awaited<ReturnType<typeof setting>>;

const withWrongKey = (of: Setting) => {
  const { readWrite } = of.keys;
  return { ...of, keys: { readWrite: readWrite.slice(0, -1) + (readWrite.endsWith('0') ? '1' : '0') } };
};

const withUnknownProject = (of: Setting) => ({ ...of, projectId: 'nobody' });

/** Selects a test of the sample suite that passes, so that a failing exit status can only come from the reporter. */
const PASSING = ['--project', 'retail', '-g', 'sums equal articles'];

const cancel = ({ services, organizationId }: Setting, runId: string) => {
  const cancellation = { actor: 'Alex Doe', canceledAt: Date.now(), reason: 'obsolete' };
  const set = [['completionState', 'CANCELED'] as const, ['cancellation', cancellation] as const];
  return services.table.update(runs, { organizationId, runId }, { set });
};

const passingSuite = [suiteGroup('retail', ['cart.spec.ts > cart > sums equal articles'])];

/** `npm test` tries each reason for a refusal with only one of the two programs: the reporter or `currents upload`. */
describe('@currents/playwright, when it is refused', () => {
  test.each(
    sampled(
      [
        [
          'a wrong key',
          withWrongKey,
          ['401 Unauthorized Request from cloud service', 'Failed to create run recording'],
        ],
        [
          'an unknown project',
          withUnknownProject,
          ['Unexpected network response: Request failed with status code 404'],
        ],
      ] as const,
      2,
    ),
  )('The reporter reports %s, still runs the suite, and exits with code 0', async (_, target, said) => {
    const ended = await runSample(target(await setting()), { ciBuildId: 'x', args: PASSING });
    for (const text of said) expect(ended.output).toContain(text);
    expect({ status: ended.status, passed: ended.output.includes('1 passed') }).toEqual({ status: 0, passed: true });
  });

  test('The reporter shows the message of the service for a cancelled run, and exits with code 1', async () => {
    const tenant = await setting();
    await cancel(tenant, (await startRun(tenant, passingSuite)).runId);
    const ended = await runSample(tenant, { ciBuildId: 'build-1', args: PASSING });
    expect(ended.output).toContain('This run is cancelled. Start a new run with another CI build id');
    expect(ended.status).toBe(1);
  });

  test('The reporter shows the message of the service for a run that ended more than a day ago, still runs the suite, and exits with code 0', async () => {
    const tenant = await setting();
    await recordRun(tenant, { retail: { tests: { 'cart.spec.ts > cart > sums equal articles': passed() } } });
    vi.setSystemTime(Date.now() + 25 * 3_600_000);
    onTestFinished(() => void vi.useRealTimers());
    const ended = await runSample(tenant, { ciBuildId: 'build-1', args: PASSING });
    expect(ended.output).toContain(
      'This run has ended and accepts no more results. Start a new run with another CI build id',
    );
    expect({ status: ended.status, passed: ended.output.includes('1 passed') }).toEqual({ status: 0, passed: true });
  });
});

describe('currents upload, when it is refused', () => {
  test.each([
    ...(IS_DEEP ? [['a wrong key', withWrongKey, /401 Unauthorized/] as const] : []),
    ['a Read Only key', (of: Setting) => ({ ...of, keys: { readWrite: of.keys.readOnly } }), /403/],
    ['an unknown project', withUnknownProject, /404 Not Found/],
  ] as const)('`currents upload` reports %s and exits with code 1', async (_, target, said) => {
    const ended = await runUpload(target(await setting()), await resultsDirectory(), 'x');
    expect(ended.output).toMatch(said);
    expect(ended.status).toBe(1);
  });

  test.runIf(IS_DEEP)(
    '`currents upload` shows the message of the service for a cancelled run, and exits with code 1',
    async () => {
      const tenant = await setting();
      await cancel(tenant, (await startRun(tenant, passingSuite)).runId);
      const ended = await runUpload(tenant, await resultsDirectory(), 'build-1');
      expect(ended.output).toContain('This run is cancelled. Start a new run with another CI build id');
      expect(ended.status).toBe(1);
    },
  );
});
