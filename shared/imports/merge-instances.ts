/** Puts the spec files of several report files together. */

import type { ReportedTest } from '#shared/ingest/reported.ts';
import type { ParsedFile } from '#shared/reports/report.ts';
import type { ImportPlan, PlannedFile, PlannedInstance } from './import-plan.ts';

const UNKNOWN_MACHINE = 'import';

/**
 * A spec file that occurs in several report files is written only once. If several files contain the same test, none of
 * its results replaces another: the second ones of all tests of a spec file become a spec file of their own, and so on.
 */
export function mergeInstances(
  parsedFiles: readonly ParsedFile[],
  machineId: string | undefined,
): Pick<ImportPlan, 'instances' | 'attachments'> {
  const entries = new Map<string, { first: PlannedInstance; repetitions: Map<string, ReportedTest>[] }>();
  const attachments: PlannedFile[] = [];
  for (const file of parsedFiles) {
    const repetitionOf = new Map<string, number>();
    for (const instance of file.instances) {
      const key = JSON.stringify([instance.groupId, instance.spec]);
      const first = { ...instance, machineId: machineId ?? file.machine ?? UNKNOWN_MACHINE };
      const entry = entries.get(key) ?? { first, repetitions: [new Map()] };
      for (const test of instance.tests) repetitionOf.set(key + test.testId, addTest(entry.repetitions, test));
      entries.set(key, entry);
    }
    for (const attachment of file.files) {
      const { groupId, spec, testId } = attachment;
      const repetition = repetitionOf.get(JSON.stringify([groupId, spec]) + testId) ?? 0;
      attachments.push({ ...attachment, repetition });
    }
  }
  const all = [...entries.values()].flatMap(({ first, repetitions }) =>
    repetitions.map((tests, repetition) => ({ ...first, repetition, tests: [...tests.values()] })),
  );
  return { instances: [...Map.groupBy(all, (instance) => instance.machineId).values()].flat(), attachments };
}

/** Returns the number of results of the test that were added before. */
function addTest(repetitions: Map<string, ReportedTest>[], test: ReportedTest): number {
  const index = repetitions.findIndex((tests) => !tests.has(test.testId));
  if (index === -1) repetitions.push(new Map([[test.testId, test]]));
  else repetitions[index]?.set(test.testId, test);
  return index === -1 ? repetitions.length - 1 : index;
}
