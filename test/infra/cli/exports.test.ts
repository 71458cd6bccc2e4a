/** Exports test executions as an operator does, to a folder and to a bucket. */
import { readdir } from 'node:fs/promises';
import { describe, expect, test, vi } from 'vitest';
import { administration } from '#test/harness/administration.ts';
import { objectsOf } from '#test/harness/bucket.ts';
import { describeWithDuckdb, duckdb, executionsIn } from '#test/harness/duckdb.ts';
import { uploadRun } from '#test/harness/recording-batch.ts';
import { failed, passed } from '#test/harness/recording-messages.ts';
import { clock } from '#test/harness/service.ts';
import { temporaryFolder } from '#test/infra/local/child.ts';

const DAY = 24 * 3_600_000;
const SUM = 'cart.spec.ts > sums';
const PAY = 'cart.spec.ts > pays';

/** Records runs of one project on two days, with a day without runs between them, and one run of a second project. */
async function recorded() {
  const admin = await administration();
  const { tenant, json } = admin;
  const owner = ['--organization', tenant.organizationId];
  // Projects are listed in the order of their creation, so the two times must differ.
  clock.advance(1);
  const other = (await tenant.api.post('/projects', { name: 'Other' })).body.data.projectId;
  const first = await uploadRun(tenant, { [SUM]: passed(), [PAY]: failed() }, { ciBuildId: 'a' });
  await uploadRun({ ...tenant, projectId: other }, { [SUM]: passed() }, { ciBuildId: 'a' });
  clock.advance(2 * DAY);
  await uploadRun(tenant, { [SUM]: passed() }, { ciBuildId: 'b' });
  const folder = await temporaryFolder();
  const run = (...words: string[]) => json('analytics', 'export', '--parquet', ...owner, '--to', folder, ...words);
  return { ...admin, owner, other, first, folder, run };
}

const filesIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder, { recursive: true })).filter((name) => /\.parquet/.test(name)).sort();

describeWithDuckdb('npm run admin -- analytics export', () => {
  test('analytics export writes one file per project and day, DuckDB reads all files as one table, and a repeated export removes the files of days that have no runs left', async () => {
    const { tenant, run, folder, other, first } = await recorded();
    const { organizationId, projectId } = tenant;
    const pathOf = (project: string, day: string) => `${organizationId}/project=${project}/day=${day}/part-0.parquet`;
    const own = { projectId, days: '2', executions: '3', removed: '0', incomplete: '0' };
    const [row, otherRow] = await run();
    expect([row, otherRow]).toMatchObject([own, { projectId: other, days: '1', executions: '1' }]);
    expect(Number(row.readUnits)).toBeGreaterThan(0);
    const expected = [pathOf(projectId, '2026-11-02'), pathOf(projectId, '2026-11-04'), pathOf(other, '2026-11-02')];
    expect(await filesIn(folder)).toEqual(expected.sort());
    const counts = `select day::varchar as day, project, count(*)::int as count from ${executionsIn(folder, organizationId)} group by all order by all`;
    const counted = [
      { day: '2026-11-02', project: projectId, count: 2 },
      { day: '2026-11-02', project: other, count: 1 },
      { day: '2026-11-04', project: projectId, count: 1 },
    ];
    expect(await duckdb(counts)).toEqual(expect.arrayContaining(counted));
    await tenant.api.send('DELETE', `/runs/${first.runId}`);
    expect(await run('--project', projectId)).toMatchObject([{ ...own, days: '1', executions: '1', removed: '1' }]);
    expect(await filesIn(folder)).toEqual(expected.filter((path) => path !== pathOf(projectId, '2026-11-02')));
  });

  test('analytics export writes only the days from --from to --until', async () => {
    const { run, folder, tenant } = await recorded();
    const only = ['--project', tenant.projectId];
    expect(await run(...only, '--from', '2026-11-03', '--until', '2026-11-03')).toMatchObject([{ days: '0' }]);
    expect(await filesIn(folder)).toEqual([]);
    expect(await run(...only, '--from', '2026-11-03')).toMatchObject([{ days: '1', executions: '1' }]);
    expect(await run(...only, '--until', '2026-11-02')).toMatchObject([{ days: '1', executions: '2' }]);
    expect(await filesIn(folder)).toHaveLength(2);
  });

  test('analytics export writes to a bucket, below the given prefix', async () => {
    const { tenant, json, owner } = await recorded();
    // Uses the real clock, because the object store checks presigned URLs against the real time.
    vi.useRealTimers();
    const to = `s3://${tenant.environment['ARTIFACTS_BUCKET']}/lake`;
    const options = [...owner, '--project', tenant.projectId, '--parquet', '--to', to];
    for (let round = 0; round < 2; round += 1)
      expect(await json('analytics', 'export', ...options)).toMatchObject([{ days: '2', executions: '3' }]);
    const folder = `lake/${tenant.organizationId}/project=${tenant.projectId}`;
    expect(await objectsOf(tenant)).toEqual([
      `${folder}/day=2026-11-02/part-0.parquet`,
      `${folder}/day=2026-11-04/part-0.parquet`,
    ]);
  });
});

describe('npm run admin -- analytics export', () => {
  test.each([
    [['--to', 'x'], 'Missing --parquet'],
    [['--parquet'], 'Missing --to'],
    [['--parquet', '--to', 'x', '--from', 'yesterday'], '--from must be a day such as 2026-11-27'],
    [['--parquet', '--to', 'x', '--from', '2026-11-03', '--until', '2026-11-02'], '--from must not be later'],
    [['--parquet', '--to', 'package.json'], '--to package.json cannot be used'],
    [['--parquet', '--to', 's3://unknown-bucket/x'], '--to s3://unknown-bucket/x cannot be used'],
    [['--parquet', '--to', 's3:/x'], '--to must be a folder, or a bucket'],
    [['--parquet', '--to', 'x', '--project', 'unknown'], 'Project not found'],
  ])('analytics export with %j is refused: %s', async (words, problem) => {
    const { tenant, run } = await administration();
    const { status, errors } = await run('analytics', 'export', '--organization', tenant.organizationId, ...words);
    expect(status).toBe(2);
    expect(errors).toContain(problem);
  });
});
