import { expect, test } from 'vitest';
import { batchInstance, upload } from '#test/harness/recording-batch.ts';
import { attempt, failed, flaky, passed, suiteGroup, testIdOf } from '#test/harness/recording-messages.ts';
import { service } from '#test/harness/service.ts';

const SPEC = 'cart.spec.ts';
const TEST = `${SPEC} > sums`;

test.each([
  ['failed', failed({ attempts: [attempt('failed', { attempt: 0, stdout: ['two pieces'] })] })],
  ['was flaky', flaky()],
])(
  'An upload in which a test passes removes the failure evidence of an earlier upload in which it %s',
  async (_, before) => {
    const tenant = await service();
    const send = (ending: typeof before) =>
      upload(tenant, [suiteGroup('unit', [TEST])], [batchInstance('unit', SPEC, { [TEST]: ending })]);
    const { runId } = await send(before);
    const [{ instanceId }] = (await tenant.api.get(`/runs/${runId}`)).body.data.specs;
    await send(passed());
    const asked = `/context?instance_id=${instanceId}&test_id=${testIdOf('unit', TEST)}`;
    const { data } = (await tenant.api.get(asked)).body;
    expect(data).toMatchObject({ test: { status: 'passed', totalAttempts: 1 }, error: null, steps: [], stdout: [] });
    const run = (await tenant.api.get(`/context?run_id=${runId}&include_flaky=true`)).body.data;
    expect(run).toMatchObject({ total: 0, list: [], specs: [] });
  },
);
