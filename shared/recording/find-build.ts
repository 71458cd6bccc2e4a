/** Finds the run of a CI build, and whether the machine that asks has already joined it. */
import { lookup } from '#shared/engine/table/found.ts';
import { type Group, groups } from '#shared/model/runs/group.ts';
import { joins } from '#shared/model/runs/join.ts';
import { type Run, runs } from '#shared/model/runs/run.ts';
import type { Services } from '#shared/services.ts';

export interface FoundBuild {
  readonly run: Run;
  /** The group of the machine, if one has started it. */
  readonly group: Group | undefined;
  readonly hasJoined: boolean;
}

export async function findBuild(
  { table }: Services,
  key: Pick<Group, 'organizationId' | 'runId' | 'groupId'>,
  requestKeys: readonly string[],
): Promise<FoundBuild | undefined> {
  const wanted = [lookup(runs, key), lookup(groups, key)] as const;
  const wantedJoins = requestKeys.map((request) => lookup(joins, { ...key, request }));
  const found = await table.getTogether([...wanted, ...wantedJoins], { consistent: true });
  const run = found.of(wanted[0]);
  const hasJoined = wantedJoins.some((join) => found.of(join) !== undefined);
  return run && { run, group: found.of(wanted[1]), hasJoined };
}
