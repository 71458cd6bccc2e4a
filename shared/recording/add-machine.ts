/** Adds a machine to a run in progress. */
import { isDeepStrictEqual } from 'node:util';
import { PRESENT, put } from '#shared/engine/table/writes.ts';
import { groups } from '#shared/model/group.ts';
import { joins } from '#shared/model/join.ts';
import type { Run } from '#shared/model/run.ts';
import type { Services } from '#shared/services.ts';
import type { FoundBuild } from './find-build.ts';
import { machineOf } from './machine.ts';
import { addedBy, mergeIntoRun } from './merge-run.ts';
import type { CreateRunBody } from './run-wire.ts';

/** The caller refuses runs that take no machine. */
export async function addMachine(
  services: Services,
  { run, group }: FoundBuild,
  body: CreateRunBody,
  requestKeys: readonly string[],
): Promise<void> {
  await mergeIntoRun(services, run, addedBy(body));
  await describeGroup(services, run, body, group);
  const { organizationId, runId, expiry } = run;
  const row = { organizationId, runId, groupId: body.group, at: services.now(), expiresAt: expiry.results };
  await services.table.writeMany(requestKeys.map((request) => put(joins, { ...row, request })));
}

/** The suite names a group. The first machine of the group adds its platform. */
async function describeGroup(
  { table }: Services,
  { organizationId, runId }: Run,
  body: CreateRunBody,
  known: FoundBuild['group'],
): Promise<void> {
  const { groupId, facts } = machineOf(body);
  if (known && isDeepStrictEqual(facts, { platform: known.platform, coverageEnabled: known.coverageEnabled })) return;
  await table.update(groups, { organizationId, runId, groupId }, { set: Object.entries(facts) }, PRESENT);
}
