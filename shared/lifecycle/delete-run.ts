/**
 * §4.4 A run is deleted with its rows, files, timers and history. It is gone for readers with one transaction; the rest goes
 * at once as far as the time allows, and once more a minute later, when nothing that was under way can write to it any more.
 */
import * as z from 'zod';
import { notFound, refuse } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { optimistically } from '../optimistic.ts';
import { type DueDeletion, dueDeletions, dueRuns } from '../resources/due.ts';
import { instances } from '../resources/instance.ts';
import {
  deletions,
  membersSpan,
  type Run,
  runPartition,
  runs,
  runsOfGithubBuild,
  runsOfProject,
} from '../resources/run.ts';
import type { Services } from '../services.ts';
import { type Sweep, sweep } from '../sweep.ts';
import { type Attributes, beginningWith } from '../table/entity.ts';
import { keyOf, PRESENT, put, remove, removeKey, removeWhen } from '../table/writes.ts';
import { removeInstanceData } from './remove-instance.ts';

export const DeletedRun = z.object({ runId: z.string(), actor: z.string() }).meta({ id: 'DeletedRun' });

type RunKey = Pick<Run, 'organizationId' | 'runId'>;

interface Time {
  readonly remainingMilliseconds: () => number;
}

export async function deleteRun(
  services: Services,
  { actor, ...key }: RunKey & { readonly actor: string },
): Promise<z.infer<typeof DeletedRun>> {
  const until = services.now() + LIMITS.deletionMilliseconds;
  await optimistically('deletion of a run', () => takeAway(services, key));
  await removeTests(services, key, { remainingMilliseconds: () => until - services.now(), keepRecords: true });
  return { runId: key.runId, actor };
}

/** Of two who delete it at once, the second finds none. */
async function takeAway({ table, now }: Services, key: RunKey): Promise<boolean> {
  const run = (await table.get(runs, key, { consistent: true })) ?? refuse(notFound('Run'));
  const { github, organizationId, runId } = run;
  const deletedAt = now();
  const expiresAt = Math.ceil((deletedAt + LIMITS.deletedBuildMilliseconds) / 1000);
  return table.transact([
    removeWhen(runs, run, PRESENT),
    remove(runsOfProject, run),
    remove(dueRuns, run),
    ...(github ? [remove(runsOfGithubBuild, { ...run, github })] : []),
    put(deletions, { organizationId, runId, deletedAt, expiresAt }),
    put(dueDeletions, { organizationId, runId, dueAt: deletedAt + LIMITS.deletionPauseMilliseconds }),
  ]);
}

/** False when the time was up first. */
async function removeTests(services: Services, key: RunKey, time: Time & { keepRecords?: boolean }): Promise<boolean> {
  const all = await services.table.queryAll(instances, membersSpan(key, 'INSTANCE'), { consistent: true });
  for (const instance of all) {
    if (time.remainingMilliseconds() < LIMITS.deletionMarginMilliseconds) return false;
    await removeInstanceData(services, instance, time);
  }
  return true;
}

/** Rows of instances lead to what their tests left behind, and go last. The mark of the deletion stays. */
async function removeRows({ table }: Services, key: RunKey): Promise<void> {
  const rows = await table.queryAll(anyRow, beginningWith(runPartition(key), ''), { consistent: true });
  const { sk: mark } = deletions.key(key);
  await table.writeMany(rows.flatMap(({ pk, sk }) => (sk === mark ? [] : removeKey({ pk, sk }))));
}

const anyRow = { load: (row: Attributes) => keyOf(row) };

/** What deletions left, at the latest a minute after the next one begins. */
export function finishDeletions(services: Services, time: Time): Promise<Sweep> {
  const handle = async (due: DueDeletion) => {
    if (!(await removeTests(services, due, time))) return;
    await removeRows(services, due);
    await services.table.writeMany([remove(dueDeletions, due)]);
  };
  return sweep(services, time, dueDeletions, { dueAt: ({ dueAt }) => dueAt, handle });
}
