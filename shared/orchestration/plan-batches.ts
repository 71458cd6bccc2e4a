/** Divides a suite into batches. The longest spec files come first, so that short ones fill the gaps at the end. */
import type { PlannedBatch, PlannedFile } from '#shared/model/orchestration/plan.ts';
import { ORCHESTRATION_LIMITS } from './limits.ts';

/** A spec file of a group, with the number of its tests. */
export interface SuiteFile {
  readonly groupId: string;
  readonly spec: string;
  readonly tests: number;
}

interface Prediction {
  /** The usual duration of each spec file, in milliseconds. */
  readonly known: ReadonlyMap<string, number>;
  readonly sizeOf: (groupId: string) => number;
}

/**
 * Divides spec files into batches. Each batch has files of one group, because a machine runs one Playwright project at
 * a time.
 */
export function planBatches(files: readonly SuiteFile[], { known, sizeOf }: Prediction): PlannedBatch[] {
  const expected = expectedDurations(files, known);
  const byGroup = Map.groupBy(files, ({ groupId }) => groupId);
  const batches = [...byGroup].flatMap(([groupId, own]) => {
    const sorted = own
      .map((file): PlannedFile => ({ spec: file.spec, milliseconds: expected(file) }))
      .sort((one, other) => other.milliseconds - one.milliseconds || (one.spec < other.spec ? -1 : 1));
    return chunks(sorted, sizeOf(groupId)).map((chunk): PlannedBatch => ({ groupId, files: chunk }));
  });
  return batches.sort((one, other) => longestOf(other) - longestOf(one));
}

/** The expected duration of the longest spec file of a batch, in milliseconds. */
const longestOf = ({ files }: PlannedBatch): number => files[0]?.milliseconds ?? 0;

function chunks<One>(all: readonly One[], size: number): One[][] {
  const count = Math.ceil(all.length / size);
  return Array.from({ length: count }, (_, index) => all.slice(index * size, (index + 1) * size));
}

/**
 * A spec file without history is expected to last as long as the median. Without any history, the number of tests
 * decides.
 */
function expectedDurations(files: readonly SuiteFile[], known: ReadonlyMap<string, number>) {
  const durations = files.flatMap(({ spec }) => known.get(spec) ?? []).sort((one, other) => one - other);
  const median = durations[Math.floor(durations.length / 2)];
  return ({ spec, tests }: SuiteFile): number =>
    Math.round(known.get(spec) ?? median ?? tests * ORCHESTRATION_LIMITS.millisecondsPerTest);
}
