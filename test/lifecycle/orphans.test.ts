/** Scans the table and the bucket after deletion and expiry: nothing that belongs to a run may remain. */
import { describe, expect, test, vi } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { getRowKey, removeKey } from '#shared/engine/table/writes.ts';
import { finishDeletions } from '#shared/lifecycle/delete-run.ts';
import { removeExpiredFiles } from '#shared/lifecycle/remove-expired-files.ts';
import { ROWS_OF_RUN } from '#shared/model/runs/rows-of-run.ts';
import { runs } from '#shared/model/runs/run.ts';
import { changeProjectSettings } from '#shared/organizations/project-settings.ts';
import { objectsOf } from '#test/harness/bucket.ts';
import { dyingAfter } from '#test/harness/interrupted-table.ts';
import { clock, deliverEvents, service } from '#test/harness/service.ts';
import { itemsOf } from '#test/harness/table-rows.ts';
import { KINDS, kindOf, placeOf, recordAll, rowsOfRuns, WITH_FILES } from './runs-of-every-kind.ts';

deliverEvents();

const DAY = 24 * 3_600_000;
const TIME = { remainingMilliseconds: () => 60_000 };

type Stage = Awaited<ReturnType<typeof service>>;
/** Deletes the expired rows, as DynamoDB would. The embedded database does not do this. */
async function playTtl(stage: Stage): Promise<void> {
  const rows = await itemsOf(stage.environment, ({ expiresAt }) => Number(expiresAt ?? Infinity) * 1000 <= Date.now());
  await stage.services.table.writeMany(rows.map((row) => removeKey(getRowKey(row))));
}

async function stageWith(resultsDays: number, evidenceDays: number, filesDays: number): Promise<Stage> {
  const stage = await service();
  // Uses the real clock, because the object store checks presigned URLs against the real time.
  vi.useRealTimers();
  const settings = { retention: { resultsDays, evidenceDays, filesDays } };
  const { organizationId, projectId } = stage;
  await changeProjectSettings(stage.services, { organizationId, projectId, actor: OPERATOR, settings });
  return stage;
}

/** Checks the TTL of each row: results expire after three days, evidence after two days, and files after one day. */
async function expectDeclaredEnds(stage: Stage, runId: string): Promise<void> {
  const rows = await rowsOfRuns(stage);
  // Leaves out kinds of rows that have their own expiry time. Locks, for example, expire soon after the request that
  // created them.
  const lasting = ROWS_OF_RUN.filter(({ removal }) => removal.ends !== 'own').map(({ type }) => type);
  expect([...new Set(rows.map(kindOf))].sort()).toEqual(lasting.sort());
  const run = await stage.services.table.get(runs, { organizationId: stage.organizationId, runId });
  const { results, evidence, files } = run?.expiry ?? {};
  const days = [results, evidence, files].map((end) => Math.round(((end ?? 0) * 1000 - Date.now()) / DAY));
  expect(days).toEqual([3, 2, 1]);
  const near = (end: number | undefined) => expect.closeTo(end ?? 0, -3);
  const ends = {
    results: near(results),
    evidence: near(evidence),
    files: near(files),
    sweep: undefined,
    own: undefined,
  };
  const declared = new Map(ROWS_OF_RUN.map(({ type, removal }) => [type, ends[removal.ends]]));
  for (const row of rows)
    expect({ of: placeOf(row), end: row['expiresAt'] }).toEqual({ of: placeOf(row), end: declared.get(kindOf(row)) });
}

test('The tests for leftover rows recognize every kind of row that belongs to a run', () => {
  expect(Object.keys(KINDS).sort()).toEqual(ROWS_OF_RUN.map(({ type }) => type).sort());
});

describe('Runs of every kind', () => {
  test('Runs write their rows with the declared expiry, and leave nothing behind when they expire', async () => {
    const stage = await stageWith(3, 2, 1);
    const [runId = ''] = await recordAll(stage);
    await expectDeclaredEnds(stage, runId);
    expect((await objectsOf(stage)).length).toBeGreaterThan(1);
    // The clock has already advanced by some minutes, because the recording includes a run that times out.
    clock.advance(DAY + 360_000);
    expect(await removeExpiredFiles(stage.services, TIME)).toMatchObject({ failed: 0, finished: true });
    await playTtl(stage);
    expect(await objectsOf(stage)).toEqual([]);
    const kinds = async () => new Set((await rowsOfRuns(stage)).map(kindOf));
    for (const kind of ['artifact', 'due files', 'shown files of an instance'])
      expect(await kinds()).not.toContain(kind);
    expect(await kinds()).toContain('evidence');
    clock.advance(DAY);
    await playTtl(stage);
    for (const kind of ['evidence', 'trace analysis']) expect(await kinds()).not.toContain(kind);
    expect(await kinds()).toContain('history row');
    clock.advance(DAY);
    await playTtl(stage);
    await stage.runSchedule('timeOutRuns');
    expect((await rowsOfRuns(stage)).map(placeOf)).toEqual([]);
  });

  test('Deleted runs leave only the marks that prevent machines from recording the builds again, even if the deletion is interrupted', async () => {
    const stage = await stageWith(3, 2, 1);
    const all = await recordAll(stage);
    for (const runId of all) expect((await stage.api.send('DELETE', `/runs/${runId}`)).status).toBe(200);
    clock.advance(61_000);
    for (const writes of [0, 2, 5]) await finishDeletions(dyingAfter(stage.services, writes), TIME);
    expect(await finishDeletions(stage.services, TIME)).toMatchObject({ failed: 0 });
    const left = (await rowsOfRuns(stage)).map(placeOf);
    expect(left.sort()).toEqual(all.map((runId) => `RUN#${stage.organizationId}#${runId} DELETED`).sort());
    expect(await objectsOf(stage)).toEqual([]);
    // A deletion mark expires after a day, rounded up to a whole second.
    clock.advance(DAY + 1000);
    await playTtl(stage);
    expect(await rowsOfRuns(stage)).toEqual([]);
  });

  test('Runs that expire before the first sweep leave nothing behind, and an interrupted sweep is continued', async () => {
    const stage = await stageWith(1, 1, 1);
    await recordAll(stage, WITH_FILES);
    clock.advance(DAY + 120_000);
    await playTtl(stage);
    for (const writes of [0, 1]) await removeExpiredFiles(dyingAfter(stage.services, writes), TIME);
    expect(await stage.runSchedule('removeExpiredFiles')).toMatchObject({ failed: 0, finished: true });
    await stage.runSchedule('timeOutRuns');
    expect((await rowsOfRuns(stage)).map(placeOf)).toEqual([]);
    expect(await objectsOf(stage)).toEqual([]);
  });
});
