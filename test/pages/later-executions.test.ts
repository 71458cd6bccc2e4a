import { expect, test } from 'vitest';
import { put } from '#shared/engine/table/writes.ts';
import { type HistoryRow, history } from '#shared/model/results/history-row.ts';
import { readExecutionsOfTests } from '#shared/results/executions/latest-executions.ts';
import { RESULT_LIMITS } from '#shared/results/limits.ts';
import { uploadRun } from '#test/harness/recording-batch.ts';
import { passed } from '#test/harness/recording-messages.ts';
import { service } from '#test/harness/service.ts';
import { itemsOf } from '#test/harness/table-rows.ts';

const { latestExecutions, nextExecutions } = RESULT_LIMITS;

const COUNTS = [0, 1, nextExecutions, nextExecutions + 1, latestExecutions + nextExecutions + 2];

test('The executions before and after a failure are the same, however many there are on either side', async () => {
  const stage = await service();
  const { services, organizationId, environment } = stage;
  await uploadRun(stage, { 'a.spec.ts > pays': passed() });
  const [stored] = await itemsOf(environment, ({ pk }) => String(pk).startsWith(`HISTORY#${organizationId}`));
  const row: HistoryRow = history.load(stored ?? {});
  const until = row.recordedAt - 1_000_000;
  for (const [index, later] of COUNTS.entries())
    for (const earlier of COUNTS) {
      const signature = `${index}`.repeat(16) + `${earlier}`.padStart(16, '0');
      const times = Array.from({ length: earlier + later }, (_, place) => until + 1000 * (place - earlier + 1));
      await services.table.writeMany(times.map((recordedAt) => put(history, { ...row, signature, recordedAt })));
      const of = await readExecutionsOfTests(services, organizationId, [{ signature, until, withLater: true }]);
      const read = of({ signature });
      const timesOf = (executions: readonly { readonly createdAt: string }[] = []) =>
        executions.map(({ createdAt }) => Date.parse(createdAt));
      const before = times.filter((time) => time <= until).toReversed();
      const after = times.filter((time) => time > until);
      const where = `${earlier} before, ${later} after`;
      expect(timesOf(read?.executions), where).toEqual(before.slice(0, latestExecutions));
      expect(read?.hasMore, where).toBe(before.length > latestExecutions);
      expect(timesOf(read?.later).slice(0, nextExecutions), where).toEqual(after.slice(0, nextExecutions));
    }
});
