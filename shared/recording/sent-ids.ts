/** Reporters repeat ids that the URL or the instance already determines. Both must agree. */
import * as z from 'zod';
import { runOfInstance, testKeyOf } from '#shared/model/ids.ts';
import { contradictoryId } from './errors.ts';

/** A missing id, or one of another type, is ignored. */
const sentId = z.string().nullish().catch(null);

export const sentIds = { runId: sentId, groupId: sentId, instanceId: sentId, testId: sentId };

type SentIds = Partial<Readonly<Record<keyof typeof sentIds, string | null | undefined>>>;

interface Known {
  readonly instanceId?: string;
  readonly runId?: string | undefined;
  readonly groupId?: string;
  readonly testKey?: string;
}

/**
 * Throws 400 if ids contradict each other. Only compares strings, so an id that is unknown, of another run or of
 * another organization gets the same 400.
 */
export function refuseContradictions(sent: SentIds, known: Known): void {
  const { instanceId, groupId, testKey } = known;
  const runId = known.runId ?? (instanceId && runOfInstance(instanceId));
  refuseOther('runId', sent.runId, runId);
  refuseOther('instanceId', sent.instanceId, instanceId);
  refuseOther('groupId', sent.groupId, groupId);
  if (sent.testId && testKey && testKeyOf(sent.testId) !== testKey) throw contradictoryId('testId');
}

function refuseOther(name: keyof typeof sentIds, sent: string | null | undefined, known: string | undefined): void {
  if (sent && known && sent !== known) throw contradictoryId(name);
}
