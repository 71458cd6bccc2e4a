/** Finds tests that reported a result in the base of a run, and none in the run. */
import type { WithTable } from '#shared/engine/table/table.ts';
import { deriveTestKey } from '#shared/model/ids.ts';
import type { RunKey } from '#shared/model/keys.ts';
import { type Instance, instances } from '#shared/model/results/instance.ts';
import { getRunMembersSpan } from '#shared/model/runs/run.ts';
import type { Services } from '#shared/services.ts';
import { compareTexts } from '../contains.ts';
import { loadInstance } from '../instances/load-instance.ts';
import { RESULT_LIMITS } from '../limits.ts';

interface MissingTests {
  readonly total: number;
  /** The spec files with most missing tests, such as `cart.spec.ts (all 12)`, with the names of a few. */
  readonly places: readonly string[];
}

interface Loss {
  readonly before: Instance;
  readonly after: Instance | undefined;
  readonly count: number;
}

/**
 * `tries` and `baseTries`: a run, or all tries of its build. Counts the tests of each spec file, because names would cost
 * a read for each file. So a renamed test is not missing, and a spec file that is moved is.
 */
export async function findMissingTests(
  services: Services,
  tries: readonly RunKey[],
  baseTries: readonly RunKey[],
): Promise<MissingTests> {
  const [files, filesBefore] = await Promise.all([readFiles(services, tries), readFiles(services, baseTries)]);
  const losses = [...filesBefore].flatMap(([key, before]): Loss[] => {
    const after = files.get(key);
    const count = before.counters.overall - (after?.counters.overall ?? 0);
    return count > 0 ? [{ before, after, count }] : [];
  });
  const shownLosses = losses
    .toSorted((one, other) => other.count - one.count || compareTexts(one.before.spec, other.before.spec))
    .slice(0, RESULT_LIMITS.gate.files);
  const places: string[] = [];
  const groups = new Set([...files.values(), ...filesBefore.values()].map(({ groupId }) => groupId));
  for (const loss of shownLosses) {
    const place = await describeLoss(services, loss);
    places.push(groups.size > 1 ? `${loss.before.groupId}: ${place}` : place);
  }
  return { total: losses.reduce((sum, { count }) => sum + count, 0), places };
}

/** The spec files of each group, with the most tests that one of the runs has for them. */
async function readFiles({ table }: WithTable, all: readonly RunKey[]): Promise<Map<string, Instance>> {
  const files = new Map<string, Instance>();
  for (const run of all)
    for (const instance of await table.queryAll(instances, getRunMembersSpan(run, 'INSTANCE'))) {
      // A further instance holds tests that another source has reported for the spec file already.
      if (instance.source !== undefined) continue;
      const key = JSON.stringify([instance.groupId, instance.spec]);
      const other = files.get(key);
      if (!other || other.counters.overall < instance.counters.overall) files.set(key, instance);
    }
  return files;
}

async function describeLoss(services: Services, { before, after, count }: Loss): Promise<string> {
  const { spec, counters } = before;
  if (!after || after.counters.overall === 0) return `${spec} (all ${counters.overall})`;
  const [inBase, inRun] = await Promise.all([loadInstance(services, before), loadInstance(services, after)]);
  const reportedKeys = new Set(inRun?.details.tests.map(({ testId }) => deriveTestKey(testId)));
  const names = (inBase?.details.tests ?? [])
    .filter(({ testId }) => !reportedKeys.has(deriveTestKey(testId)))
    .slice(0, RESULT_LIMITS.gate.namesPerFile)
    .map(({ title }) => title.join(' › '));
  return `${spec} (${count} of ${counters.overall}: ${names.join(', ')})`;
}
