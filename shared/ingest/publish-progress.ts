/**
 * Publishes the live counters of an instance, encoded as a string. The string of a newer version sorts after those of
 * older versions, so a condition on the write can reject a late write of an older version.
 */
import type { WithTable } from '#shared/engine/table/table.ts';
import { toAssignments } from '#shared/engine/table/update.ts';
import type { InstanceKey } from '#shared/model/results/instance.ts';
import { encodeProgress, getFileAttribute, pickProgressRow, progressRows } from '#shared/model/runs/progress.ts';
import { type InstanceResults, loadResults } from './instance-results.ts';

export async function publishProgress({ table }: WithTable, key: InstanceKey, results: InstanceResults): Promise<void> {
  const { organizationId, runId } = key;
  const { open, expiresAt, ...progress } = results;
  const name = getFileAttribute(key);
  const text = encodeProgress({ ...progress, isComplete: open.length === 0 && !progress.hasMore });
  const row = { organizationId, runId, row: pickProgressRow(key, results.progressRows) };
  const isNewer = { any: [{ absent: name }, { path: name, atMost: text }] };
  await table.update(progressRows, row, { set: [[name, text], ...toAssignments({ expiresAt })] }, isNewer);
}

/** Returns `undefined` during a reset. The read is eventually consistent, because that is cheaper. */
export async function refreshProgress(services: WithTable, key: InstanceKey): Promise<InstanceResults | undefined> {
  const results = await loadResults(services, key);
  if (results.isResetting) return undefined;
  await publishProgress(services, key, results);
  return results;
}

const FEW_TESTS = 8;
const PUBLISHED_PER_FILE = 16;
const LEAST_DISTANCE = 10;
const DIGITS = 6;

/** Large spec files are published about 16 times, smaller ones after every tenth test, and the smallest after each. */
export function isMilestone(testKey: string, tests: number): boolean {
  if (tests <= FEW_TESTS) return true;
  // Keys are digests, so on average one in `distance` is a milestone, whichever order tests end in.
  const distance = Math.max(LEAST_DISTANCE, Math.floor(tests / PUBLISHED_PER_FILE));
  return Number.parseInt(testKey.slice(-DIGITS), 16) % distance === 0;
}
