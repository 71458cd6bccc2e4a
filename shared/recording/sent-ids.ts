/** Messages of reporters repeat ids that are known from the URL or the instance. The repeated ids must match. */

import { deriveTestKey, extractRunId } from '#shared/model/ids.ts';
import { sentId } from '#shared/model/names.ts';
import { contradictoryId } from './errors.ts';

/** An id that is missing or is not a string is ignored. An empty id counts as missing. */
const repeatedId = sentId.nullish().catch(null);

export const sentIds = { runId: repeatedId, groupId: repeatedId, instanceId: repeatedId, testId: repeatedId };

type SentIds = Partial<Readonly<Record<keyof typeof sentIds, string | null | undefined>>>;

interface KnownIds {
  readonly instanceId?: string;
  readonly runId?: string | undefined;
  readonly groupId?: string;
  readonly testKey?: string;
}

/** Throws 400. Only compares strings, so an unknown id and one of another organization get the same response. */
export function refuseContradictions(messageIds: SentIds, knownIds: KnownIds): void {
  const { instanceId, groupId, testKey } = knownIds;
  const runId = knownIds.runId ?? (instanceId && extractRunId(instanceId));
  refuseOther('runId', messageIds.runId, runId);
  refuseOther('instanceId', messageIds.instanceId, instanceId);
  refuseOther('groupId', messageIds.groupId, groupId);
  if (messageIds.testId && testKey && deriveTestKey(messageIds.testId) !== testKey) throw contradictoryId('testId');
}

function refuseOther(
  name: keyof typeof sentIds,
  messageId: string | null | undefined,
  knownId: string | undefined,
): void {
  if (messageId && knownId && messageId !== knownId) throw contradictoryId(name);
}
