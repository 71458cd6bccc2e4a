/** The facts about a run that a message in a channel or a comment contains. */
import { parseKeyLabel } from '#shared/access/actor.ts';
import { formatProblemLines } from '#shared/context/shown-problems.ts';
import { findProject } from '#shared/find-project.ts';
import type { Run } from '#shared/model/runs/run.ts';
import { countMergedTests, readShownBuild } from '#shared/results/builds/tries-of-build.ts';
import type { RunComparison } from '#shared/results/comparisons/comparison-wire.ts';
import { readProblems } from '#shared/results/runs/read-problems.ts';
import type { Services } from '#shared/services.ts';
import { compareForNotification, SHOWN } from './compare-for-notification.ts';
import { NOTIFICATION_LIMITS } from './limits.ts';
import { describeRun, readCounts } from './run-text.ts';

export interface RunFacts {
  readonly origin: string;
  readonly projectName: string;
  readonly run: Pick<Run, 'organizationId' | 'projectId' | 'runId' | 'ciBuildId' | 'commit'>;
  /** The result of the run in a few words, without any text that people or tests wrote. */
  readonly result: string;
  readonly comparison: RunComparison;
  /** Why the run failed other than by its tests, and warnings. Each is a line without secrets. */
  readonly problems: readonly string[];
}

export async function readRunFacts(services: Services, run: Run, testsPerSection: number): Promise<RunFacts> {
  const [project, comparison, result, problems] = await Promise.all([
    findProject(services, run),
    compareForNotification(services, run, testsPerSection),
    readResult(services, run),
    readProblems(services, run),
  ]);
  return {
    origin: services.origin,
    projectName: project.name,
    run,
    result,
    comparison,
    problems: [...describeCanceller(run), ...formatProblemLines(problems)].slice(0, NOTIFICATION_LIMITS.problems),
  };
}

/** §5.1 Names the key that cancelled the run. The page of the run also names people, whose names may change. */
const describeCanceller = ({ cancellation }: Run): string[] =>
  cancellation && parseKeyLabel(cancellation.actor) !== undefined ? [`Cancelled by ${cancellation.actor}`] : [];

/** The result of the run, or of all tries of its build if the run is the newest of them. */
async function readResult(services: Services, run: Run): Promise<string> {
  const build = await readShownBuild(services, run);
  if (!build) return describeRun(run, await readCounts(services, run));
  return `${describeRun(run, countMergedTests(build))}, after ${build.tries.length} tries`;
}

/**
 * The tests that failed or were fixed, each with the label of its verdict. Flaky tests are left out. `total` also
 * counts tests that are missing from `tests`, because a comparison contains only the first tests of each section.
 */
export function listReportedTests({ sections }: RunComparison) {
  const reportedSections = SHOWN.flatMap(([verdict, word]) => {
    const section = sections.find((one) => one.verdict === verdict);
    return section && verdict !== 'flaky' ? [{ word, section }] : [];
  });
  return {
    total: reportedSections.reduce((sum, { section }) => sum + section.total, 0),
    tests: reportedSections.flatMap(({ word, section }) => section.tests.map((test) => ({ word, test }))),
  };
}
