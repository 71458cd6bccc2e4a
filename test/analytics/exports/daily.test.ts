/** The schedule that keeps one Parquet file per project and day in the artifacts bucket. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { exportDays } from '#shared/analytics/exports/export-days.ts';
import { remove } from '#shared/engine/table/writes.ts';
import { exportedDays, getExportedDaysSpan, getExportKey } from '#shared/model/analytics/exported-day.ts';
import { checkpoints } from '#shared/model/checkpoint.ts';
import { changeProjectSettings } from '#shared/organizations/project-settings.ts';
import { objectsOf } from '#test/harness/bucket.ts';
import { describeWithDuckdb, duckdb } from '#test/harness/duckdb.ts';
import { exportFolder } from '#test/harness/exports.ts';
import { mortal } from '#test/harness/interrupted-table.ts';
import { recordRun, updateRecord } from '#test/harness/recording.ts';
import { uploadRun } from '#test/harness/recording-batch.ts';
import { failed, passed } from '#test/harness/recording-messages.ts';
import { clock, service } from '#test/harness/service.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const SUM = 'cart.spec.ts > cart > sums';
const PAY = 'cart.spec.ts > cart > pays';
const TIME = {
  remainingMilliseconds: () => 600_000,
  onFailure: (error: unknown) => {
    throw error;
  },
};

type Stage = Awaited<ReturnType<typeof stage>>;

async function stage() {
  const here = await service();
  // The clock starts tomorrow in real time, because the object store refuses presigned URLs that have really expired.
  vi.useRealTimers();
  const [today = ''] = new Date(Date.now() + DAY).toISOString().split('T');
  clock.set(`${today}T10:00:00.000Z`);
  return { ...here, today };
}

const keepFor = ({ services, organizationId, projectId }: Stage, days: number) =>
  changeProjectSettings(services, {
    ...{ organizationId, projectId, actor: OPERATOR },
    settings: { retention: { resultsDays: days, evidenceDays: days, filesDays: days } },
  });

/** Advances the clock by more than a day, runs the scheduled merges, and returns the report of the scheduled export. */
async function morning(here: Stage): Promise<unknown> {
  clock.advance(DAY);
  for (let sweep = 0; sweep < 3; sweep += 1) {
    clock.advance(11 * 60_000);
    await here.runSchedule('mergeAnalytics');
  }
  clock.advance(4 * HOUR);
  await again(here);
  return here.runSchedule('exportDays');
}

/** Forgets that the exports of this day are done, because all tests of this file share the table. */
const again = ({ services }: Stage) => services.table.writeMany([remove(checkpoints, { work: 'export-days done' })]);

const rowsOf = ({ services, organizationId, projectId }: Stage) =>
  services.table.queryAll(exportedDays, getExportedDaysSpan({ organizationId, projectId }), { consistent: true });

/** Runs a query on the exported file of a day. The query calls the file `DAY`. */
async function readDay(here: Stage, sql: string, day = here.today): Promise<readonly object[]> {
  const pieces: Uint8Array[] = [];
  for await (const piece of (await here.services.artifacts.open(getExportKey({ ...here, day }))) ?? [])
    pieces.push(piece);
  const file = join(await exportFolder(), 'part-0.parquet');
  await writeFile(file, Buffer.concat(pieces));
  return duckdb(sql.replace('DAY', `read_parquet('${file}')`));
}

const OUTCOMES = 'select title, outcome from DAY order by all';

describeWithDuckdb('The daily exports', () => {
  test('The export file of a day appears on the next morning, contains late results and deletions one morning later, and is otherwise not written again', async () => {
    const here = await stage();
    const first = await recordRun(
      here,
      { retail: { tests: { [SUM]: failed(), [PAY]: passed() } } },
      { ciBuildId: 'a' },
    );
    const second = await uploadRun(here, { [SUM]: passed() }, { ciBuildId: 'b' });
    expect(await morning(here)).toMatchObject({ days: 1, rows: 3, removed: 0, failed: 0, finished: true });
    const key = `exports/${here.organizationId}/project=${here.projectId}/day=${here.today}/part-0.parquet`;
    expect(await objectsOf(here)).toEqual([key]);
    const sums = { title: 'cart > sums' };
    const pays = { title: 'cart > pays', outcome: 'passed' };
    expect(await readDay(here, OUTCOMES)).toEqual([
      pays,
      { ...sums, outcome: 'failed' },
      { ...sums, outcome: 'passed' },
    ]);
    expect(await here.runSchedule('exportDays')).toMatchObject({ days: 0, finished: true });
    expect(await morning(here)).toMatchObject({ days: 0, removed: 0 });
    await updateRecord(here, first.records[`retail ${SUM}`] ?? '', passed(), 9);
    await here.api.send('DELETE', `/runs/${second.runId}`);
    expect(await morning(here)).toMatchObject({ days: 1, rows: 2 });
    expect(await readDay(here, OUTCOMES)).toEqual([pays, { ...sums, outcome: 'passed' }]);
    await here.api.send('DELETE', `/runs/${first.runId}`);
    expect(await morning(here)).toMatchObject({ days: 1, rows: 0 });
    expect(await objectsOf(here)).toEqual([]);
  });

  test('Runs are removed from the exports after they expire or are deleted, even if runs of the same hours have different retention periods', async () => {
    const here = await stage();
    await keepFor(here, 2);
    await uploadRun(here, { [SUM]: passed() }, { ciBuildId: 'a' });
    await keepFor(here, 30);
    const longer = await uploadRun(here, { [PAY]: passed() }, { ciBuildId: 'b' });
    await uploadRun(here, { [PAY]: failed() }, { ciBuildId: 'c' });
    expect(await morning(here)).toMatchObject({ rows: 3 });
    expect(await morning(here)).toMatchObject({ days: 0 });
    expect(await morning(here)).toMatchObject({ days: 1, rows: 2 });
    await here.api.send('DELETE', `/runs/${longer.runId}`);
    expect(await morning(here)).toMatchObject({ days: 1, rows: 1 });
    expect(await readDay(here, OUTCOMES)).toEqual([{ title: 'cart > pays', outcome: 'failed' }]);
    clock.advance(30 * DAY);
    expect(await morning(here)).toMatchObject({ days: 1, rows: 0 });
    expect(await objectsOf(here)).toEqual([]);
    expect(await morning(here)).toMatchObject({ days: 0 });
  });

  test('The exports of a deleted project are removed on the next morning, and return after it is restored', async () => {
    const here = await stage();
    await uploadRun(here, { [SUM]: passed() }, { ciBuildId: 'a' });
    await morning(here);
    const keys = await objectsOf(here);
    await here.api.send('DELETE', `/projects/${here.projectId}`);
    expect(await morning(here)).toMatchObject({ days: 0, removed: 1 });
    expect([await objectsOf(here), await rowsOf(here)]).toEqual([[], []]);
    await here.api.put(`/projects/${here.projectId}/restore`);
    expect(await morning(here)).toMatchObject({ days: 1, rows: 1 });
    expect(await objectsOf(here)).toEqual(keys);
  });

  test('An export that is interrupted after any of its writes is completed by the next one', async () => {
    const here = await stage();
    await uploadRun(here, { [SUM]: passed(), [PAY]: failed() }, { ciBuildId: 'a' });
    await morning(here);
    const expected = await rowsOf(here);
    const keys = await objectsOf(here);
    const anyWriter = expected.map((row) => ({ ...row, writer: expect.any(String) }));
    let interrupted = 0;
    for (let writes = 0; ; writes += 1) {
      await here.services.table.writeMany(expected.map((row) => remove(exportedDays, row)));
      await here.services.artifacts.remove(keys[0] ?? '');
      await again(here);
      const dying = mortal({ ...here.services, isDaily: true }, writes);
      const report = await exportDays(dying.services, { ...TIME, onFailure: () => {} }).catch(() => undefined);
      await dying.settled();
      if (report?.finished) break;
      interrupted += 1;
      const known = await rowsOf(here);
      if (known.length === 0) expect(await objectsOf(here)).toEqual([]);
      await again(here);
      expect(await exportDays({ ...here.services, isDaily: true }, TIME)).toMatchObject({ finished: true });
      expect([await rowsOf(here), await objectsOf(here)]).toEqual([anyWriter, keys]);
    }
    expect(interrupted).toBeGreaterThan(2);
  });

  test('If two exports of a day run concurrently, the file and the record of the day are complete after the next export', async () => {
    const here = await stage();
    await uploadRun(here, { [SUM]: passed() }, { ciBuildId: 'a' });
    await morning(here);
    const rows = await rowsOf(here);
    await here.services.table.writeMany(rows.map((row) => remove(exportedDays, row)));
    await again(here);
    const services = { ...here.services, isDaily: true };
    await Promise.all([exportDays(services, TIME), exportDays(services, TIME)]);
    await again(here);
    await exportDays(services, TIME);
    expect(await rowsOf(here)).toMatchObject([{ rows: 1, content: rows[0]?.content }]);
    expect(await readDay(here, OUTCOMES)).toEqual([{ title: 'cart > sums', outcome: 'passed' }]);
  });

  test('An export without time left changes nothing and reports that it did not finish, and a day that does not fit into one invocation is left out and reported as a failure', async () => {
    const here = await stage();
    await uploadRun(here, { [SUM]: passed() }, { ciBuildId: 'a' });
    await morning(here);
    const rows = await rowsOf(here);
    await here.services.table.writeMany(rows.map((row) => remove(exportedDays, row)));
    await again(here);
    const services = { ...here.services, isDaily: true };
    const without = { ...TIME, remainingMilliseconds: () => 0 };
    expect(await exportDays(services, without)).toMatchObject({ days: 0, failed: 0, finished: false });
    expect(await objectsOf(here)).toHaveLength(1);
    const failures: unknown[] = [];
    // The time is up as soon as the first day has begun.
    let hasBegun = false;
    const randomId = (characters: number) => {
      hasBegun = true;
      return services.randomId(characters);
    };
    const remainingMilliseconds = () => (hasBegun ? 0 : 600_000);
    const late = { remainingMilliseconds, onFailure: (error: unknown) => failures.push(error) };
    expect(await exportDays({ ...services, randomId }, late)).toMatchObject({ days: 0, failed: 1, finished: false });
    expect(failures).toHaveLength(1);
    expect(await objectsOf(here)).toEqual([]);
    expect(await exportDays(services, TIME)).toMatchObject({ days: 0, failed: 0, finished: true });
  });

  test('If daily exports are turned off, earlier exports are removed', async () => {
    const here = await stage();
    await uploadRun(here, { [SUM]: passed() }, { ciBuildId: 'a' });
    await morning(here);
    expect(await exportDays({ ...here.services, isDaily: false }, TIME)).toMatchObject({ days: 0, finished: true });
    expect([await objectsOf(here), await rowsOf(here)]).toEqual([[], []]);
    await again(here);
  });
});
