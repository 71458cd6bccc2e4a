import { expect, test } from 'vitest';
import { cancelRun } from '#shared/lifecycle/cancel-run.ts';
import { LIFECYCLE_LIMITS } from '#shared/lifecycle/limits.ts';
import { dyingAfter } from '#test/harness/interrupted-table.ts';
import { claim, createRecord, startRun, updateRecord } from '#test/harness/recording.ts';
import { passed, running, suiteGroup } from '#test/harness/recording-messages.ts';
import { read } from '#test/harness/recording-readback.ts';
import { clock, service } from '#test/harness/service.ts';

/** A spec file with so many tests that its counters are not published after every single test. */
const TESTS = Array.from({ length: 60 }, (_, index) => `cart.spec.ts > test ${index}`);
const IN_PROGRESS = TESTS.slice(0, 2);

test('After a cancellation that was interrupted at any of its writes, each test that ends later is still counted', async () => {
  const stage = await service();
  const { organizationId } = stage;
  for (let writes = 0, isKilled = true; isKilled; writes += 1) {
    const run = await startRun(stage, [suiteGroup('retail', TESTS)], { ciBuildId: `killed after ${writes}` });
    const claimed = await claim(stage, run, 'cart.spec.ts');
    const records = [];
    for (const name of IN_PROGRESS) records.push(await createRecord(stage, claimed, name, running()));
    const request = { organizationId, runId: run.runId, actor: 'api:CI' };
    const cancelled = await cancelRun(dyingAfter(stage.services, writes), request).then(
      () => true,
      (error) => String(error),
    );
    isKilled = cancelled !== true;
    if (isKilled) expect(cancelled).toContain('The process has died');
    // Repeats the cancellation. The response is 422 if the killed process had already cancelled the run.
    await stage.api.put(`/runs/${run.runId}/cancel`);
    clock.advance(LIFECYCLE_LIMITS.settlePauseMilliseconds + 1000);
    await stage.runSchedule('timeOutRuns');
    for (const record of records) await updateRecord(stage, record, passed(), 1);
    const { completionState, groups } = await read(stage.api, `/runs/${run.runId}`);
    const seen = { completionState, passes: groups[0].tests.passes };
    expect(seen, `after ${writes} writes`).toEqual({ completionState: 'CANCELED', passes: IN_PROGRESS.length });
    if (!isKilled) expect(writes).toBeGreaterThan(3);
  }
});
