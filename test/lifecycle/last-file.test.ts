import { expect, test } from 'vitest';
import { resetRun } from '#shared/lifecycle/reset-run.ts';
import { createTestRecord } from '#shared/recording/published/record-test.ts';
import { CreateTestRecordBody } from '#shared/recording/published/test-wire.ts';
import { eventsOfRun } from '#test/harness/events.ts';
import { interrupted } from '#test/harness/interrupted-table.ts';
import { claim, createRecord, firstMessage, startRun } from '#test/harness/recording.ts';
import { failed, passed, suiteGroup } from '#test/harness/recording-messages.ts';
import { read } from '#test/harness/recording-readback.ts';
import { service } from '#test/harness/service.ts';
import { itemsOf } from '#test/harness/table-rows.ts';

const FILES = Array.from({ length: 12 }, (_, index) => `file-${index}.spec.ts`);
const ORDERS = {
  'in the order of the suite': FILES,
  'in the reverse order': FILES.toReversed(),
  'in another order': FILES.toSorted((one, other) => (one.slice(-9) < other.slice(-9) ? 1 : -1)),
};

test.each(Object.entries(ORDERS))(
  'A run whose spec files complete %s ends with the last one, and the row of the run does not change until then',
  async (order, files) => {
    const stage = await service();
    const run = await startRun(
      stage,
      [
        suiteGroup(
          'retail',
          FILES.map((file) => `${file} > works`),
        ),
      ],
      {
        ciBuildId: order,
      },
    );
    const rowOf = () => itemsOf(stage.environment, ({ pk, sk }) => sk === 'RUN' && `${pk}`.endsWith(`#${run.runId}`));
    const before = await rowOf();
    expect(before).toMatchObject([{ completionState: 'IN_PROGRESS' }]);
    for (const [index, file] of files.entries()) {
      expect(await rowOf(), `before file ${index}`).toEqual(before);
      await createRecord(stage, await claim(stage, run, file), `${file} > works`, passed());
    }
    expect(await read(stage.api, `/runs/${run.runId}`)).toMatchObject({
      completionState: 'COMPLETE',
      groups: [{ tests: { passes: FILES.length }, instances: { complete: FILES.length } }],
    });
    const events = (await eventsOfRun(stage, run.runId)).map(({ payload }) => payload.event);
    expect(events).toEqual(['RUN_START', 'RUN_FINISH']);
  },
);

test('A run stays in progress if a spec file is reset while the last spec file completes, until the reset file has results again', async () => {
  const stage = await service();
  const { organizationId, services } = stage;
  const CART = 'cart.spec.ts > sums';
  const MENU = 'menu.spec.ts > opens';
  const TAX = 'tax.spec.ts > rounds';
  const run = await startRun(stage, [suiteGroup('retail', [CART, MENU, TAX])], { machineId: 'first' });
  const cart = await claim(stage, { ...run, machineId: 'first' }, 'cart.spec.ts');
  await createRecord(stage, cart, CART, failed());
  // This second failure remains after the reset, so the reset does not change the status of the run.
  const menu = await claim(stage, { ...run, machineId: 'second' }, 'menu.spec.ts');
  await createRecord(stage, menu, MENU, failed());
  const tax = await claim(stage, { ...run, machineId: 'second' }, 'tax.spec.ts');
  const reset = () => resetRun(services, { organizationId, runId: run.runId, machineIds: ['first'] });
  const sent = firstMessage(tax, TAX, passed());
  await createTestRecord(interrupted(services, reset), {
    organizationId,
    body: CreateTestRecordBody.parse(sent),
    sent,
  });
  expect(await read(stage.api, `/runs/${run.runId}`)).toMatchObject({ completionState: 'IN_PROGRESS' });
  const again = await claim(stage, { ...run, machineId: 'third' }, 'cart.spec.ts');
  await createRecord(stage, again, CART, passed());
  expect(await read(stage.api, `/runs/${run.runId}`)).toMatchObject({ completionState: 'COMPLETE', status: 'FAILED' });
});
