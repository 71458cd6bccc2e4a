/** The number of spec files that a machine gets at once. The first machine of a session decides. */
import { ORCHESTRATION_LIMITS } from './limits.ts';
import type { StartSessionBody } from './session-wire.ts';

type Sizes = Pick<StartSessionBody, 'globalWorkers' | 'globalBatchSize' | 'projectWorkers' | 'projectBatchSizes'>;

/** `auto` means one spec file per worker. A setting of the group has priority. */
export function batchSizes({ globalWorkers, globalBatchSize, projectWorkers, projectBatchSizes }: Sizes) {
  return (groupId: string): number => {
    const wanted = projectBatchSizes?.[groupId] ?? globalBatchSize ?? 'auto';
    const size = wanted === 'auto' ? (projectWorkers?.[groupId] ?? globalWorkers) : wanted;
    const files = typeof size === 'number' && Number.isInteger(size) && size > 0 ? size : 1;
    return Math.min(files, ORCHESTRATION_LIMITS.filesPerBatch);
  };
}
