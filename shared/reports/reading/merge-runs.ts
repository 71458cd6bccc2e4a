/**
 * Surefire and Gradle spread the runs of one test over several files when they run a class again. Each file has some of
 * its attempts.
 */
import type { ReportedInstance, ReportedTest } from '#shared/ingest/reported.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import type { ParsedFile } from '#shared/reports/report.ts';
import { isFlaky } from '#shared/results/flaky.ts';

const SPREAD: ReadonlySet<string | null> = new Set(['surefire', 'gradle']);

/** The last file that has the test keeps all its attempts. */
export function mergeRuns(files: readonly ParsedFile[]): ParsedFile[] {
  const spread = files.filter(({ dialect }) => SPREAD.has(dialect));
  if (spread.length < 2) return [...files];
  const runs = runsIn(spread);
  return files.map((file) => {
    if (!SPREAD.has(file.dialect)) return file;
    const instances = file.instances.map((instance) => merged(instance, runs)).filter(({ tests }) => tests.length > 0);
    return { ...file, instances };
  });
}

const keyOf = ({ groupId, spec }: ReportedInstance, { testId }: ReportedTest): string =>
  JSON.stringify([groupId, spec, testId]);

function runsIn(files: readonly ParsedFile[]): ReadonlyMap<string, ReportedTest[]> {
  const all = files.flatMap(({ instances }) =>
    instances.flatMap((instance) => instance.tests.map((test) => [keyOf(instance, test), test] as const)),
  );
  const runs = new Map<string, ReportedTest[]>();
  for (const [key, test] of all) runs.set(key, [...(runs.get(key) ?? []), test]);
  return runs;
}

const merged = (instance: ReportedInstance, runs: ReadonlyMap<string, readonly ReportedTest[]>): ReportedInstance => ({
  ...instance,
  tests: instance.tests.flatMap((test) => {
    const all = runs.get(keyOf(instance, test)) ?? [test];
    return all.at(-1) === test ? joined(all) : [];
  }),
});

/** Joins the runs of one test. Failed runs come before the one that passed, whatever the order of the files. */
function joined(runs: readonly ReportedTest[]): ReportedTest {
  const ordered = runs.toSorted((one, other) => Number(one.outcome === 'passed') - Number(other.outcome === 'passed'));
  const [last] = ordered.slice(-1);
  if (!last) throw new Error('A test needs at least one result, so that its runs can be merged');
  if (ordered.length === 1) return last;
  const parts = ordered.flatMap((test) =>
    test.attempts.map((attempt, index) => ({ attempt, evidence: test.evidence, index })),
  );
  const kept = parts.slice(-REPORT_LIMITS.attemptsPerTest);
  const attempts = kept.map(({ attempt }, index) => ({ ...attempt, attempt: index }));
  const evidence = () => kept.map((part) => part.evidence()[part.index] ?? { steps: [], stdout: [], stderr: [] });
  return { ...last, attempts, evidence, flaky: isFlaky({ ...last, attempts, reportedFlaky: false }) };
}
