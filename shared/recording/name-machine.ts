/**
 * The id that a machine has in its run. Clients may choose it. Jobs that share one id by mistake, for example because a
 * workflow sets `CURRENTS_MACHINE_ID` for all of them, report different CI variables, and get an id each, so that none
 * replaces the results of another.
 */
import { computeDigest } from '#shared/engine/table/keys.ts';
import { ABSENT } from '#shared/engine/table/writes.ts';
import { makeMachineId } from '#shared/model/ids.ts';
import { joins } from '#shared/model/runs/join.ts';
import type { Run } from '#shared/model/runs/run.ts';
import { normalizeId } from '#shared/model/short-names.ts';
import type { Services } from '#shared/services.ts';
import type { RunRequest } from './run-request.ts';

const KEY_CHARACTERS = 16;
/** The row stands for all groups that the machine joins. No group has an empty name. */
const NO_GROUP = '';

/** `requestKey` identifies the request of a client that sends no id. */
export async function assignMachineId(
  { table, now }: Services,
  { organizationId, runId, expiry }: Run,
  { machineId, process }: RunRequest,
  requestKey: string,
): Promise<string> {
  if (!machineId) return makeMachineId(requestKey);
  if (process === undefined) return machineId;
  const ownJoin = {
    organizationId,
    runId,
    groupId: NO_GROUP,
    request: computeDigest(KEY_CHARACTERS, machineId),
    machineId,
    process,
    at: now(),
    expiresAt: expiry.results,
  };
  const storedJoin = await table.get(joins, ownJoin, { consistent: true });
  const firstJoin = storedJoin ?? (await table.put(joins, ownJoin, ABSENT)).item ?? ownJoin;
  return firstJoin.process === process ? machineId : normalizeId(`${machineId}-${process}`);
}
