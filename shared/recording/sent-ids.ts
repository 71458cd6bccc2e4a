/**
 * The messages of reporters repeat ids that are already known from the URL or the instance. The repeated ids must match
 * the known ones.
 */

import { deriveTestKey, extractRunId } from '#shared/model/ids.ts';
import { sentId } from '#shared/model/names.ts';
import { contradictoryId } from './errors.ts';

/** An id that is missing or is not a string is ignored. An empty id counts as missing. */
const repeatedId = sentId.nullish().catch(null);

export const sentIds = { runId: repeatedId, groupId: repeatedId, instanceId: repeatedId, testId: repeatedId };

type SentIds = Partial<Readonly<Record<keyof typeof sentIds, string | null | undefined>>>;

interface Known {
  readonly instanceId?: string;
  readonly runId?: string | undefined;
  readonly groupId?: string;
  readonly testKey?: string;
}

/**
 * Throws 400 if ids contradict each other. Only compares strings, so the response is the same for an unknown id and for
 * an id of another run or organization.
 */
export function refuseContradictions(sent: SentIds, known: Known): void {
  const { instanceId, groupId, testKey } = known;
  const runId = known.runId ?? (instanceId && extractRunId(instanceId));
  refuseOther('runId', sent.runId, runId);
  refuseOther('instanceId', sent.instanceId, instanceId);
  refuseOther('groupId', sent.groupId, groupId);
  if (sent.testId && testKey && deriveTestKey(sent.testId) !== testKey) throw contradictoryId('testId');
}

function refuseOther(name: keyof typeof sentIds, sent: string | null | undefined, known: string | undefined): void {
  if (sent && known && sent !== known) throw contradictoryId(name);
}
