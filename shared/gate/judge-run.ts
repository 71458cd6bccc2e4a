/**
 * The gate: whether a run may be merged. It fails for a run that did not complete, and for everything that nobody can
 * judge, so that no fault opens it.
 */

import { formatProblemLines } from '#shared/context/shown-problems.ts';
import { notFound, refuse } from '#shared/engine/errors.ts';
import { formatCount } from '#shared/engine/format-count.ts';
import { makeVisibleLine, shortenToLine } from '#shared/engine/plain-text.ts';
import { findProject } from '#shared/find-project.ts';
import type { RunKey } from '#shared/model/keys.ts';
import type { ProjectRecord } from '#shared/model/organizations/project.ts';
import { isUnderWay, type Run, runs } from '#shared/model/runs/run.ts';
import { getRunUrl } from '#shared/model/runs/run-url.ts';
import { readMergedBuild, readShownBuild } from '#shared/results/builds/tries-of-build.ts';
import { compareRuns } from '#shared/results/comparisons/compare-runs.ts';
import type { RunComparison } from '#shared/results/comparisons/comparison-wire.ts';
import { findMissingTests } from '#shared/results/comparisons/missing-tests.ts';
import { RESULT_LIMITS } from '#shared/results/limits.ts';
import { readProblems } from '#shared/results/runs/read-problems.ts';
import type { Services } from '#shared/services.ts';
import type { GateQuery, GateRule, GateVerdict } from './gate-wire.ts';

type Reason = GateVerdict['reasons'][number];

/** The rules of the project, which are off unless somebody sets them. */
export function listGateRules({ gateNewFailures, gateMissingTests }: Partial<ProjectRecord>): GateRule[] {
  const rules: GateRule[] = [];
  if (gateNewFailures) rules.push('noNewFailures');
  if (gateMissingTests) rules.push('noMissingTests');
  return rules;
}

export async function judgeRun(
  services: Services,
  { organizationId, runId, query }: RunKey & { readonly query: GateQuery },
): Promise<GateVerdict> {
  const key = { organizationId, runId };
  const run = (await services.table.get(runs, key, { consistent: true })) ?? refuse(notFound('Run'));
  const project = await findProject(services, run);
  const rulesOfProject = listGateRules(project);
  const rules =
    query.rules ?? (rulesOfProject.length > 0 ? rulesOfProject : (['noNewFailures', 'noMissingTests'] as const));
  const build = await readShownBuild(services, run);
  const verdict = { runId, runUrl: getRunUrl(services.origin, run), rules: [...rules], base: null, baseUrl: null };
  if (isUnderWay(run) || build?.state === 'running')
    return { ...verdict, state: 'waiting', reasons: [makeReason(null, 'The run has not ended')] };
  const comparison = await compareRuns(services, {
    ...key,
    query: { base_run_id: query.base_run_id, page: 0, limit: RESULT_LIMITS.gate.tests },
  });
  const tries = build?.tries ?? [run];
  const reasons = await listRunReasons(services, tries);
  if (rules.includes('noNewFailures')) reasons.push(...listFailureReasons(comparison));
  if (rules.includes('noMissingTests'))
    reasons.push(...(await listMissingReasons(services, { run, tries, comparison })));
  const { base } = comparison;
  return {
    ...verdict,
    base,
    baseUrl: base && getRunUrl(services.origin, { ...run, runId: base.runId }),
    state: reasons.length > 0 ? 'failed' : 'passed',
    reasons,
  };
}

const makeReason = (rule: GateRule | null, message: string, details: readonly string[] = []): Reason => ({
  rule,
  message,
  details: details.map((detail) => shortenToLine(makeVisibleLine(detail), RESULT_LIMITS.gate.detailCharacters)),
});

/** A run that ended early, or failed for another reason than its tests, does not show what its tests would have done. */
async function listRunReasons(services: Services, tries: readonly Run[]): Promise<Reason[]> {
  const newestTry = tries.at(-1);
  if (!newestTry) return [];
  if (newestTry.completionState === 'CANCELED') return [makeReason(null, 'The run was cancelled')];
  if (newestTry.completionState === 'TIMEOUT') return [makeReason(null, 'The run timed out')];
  const problems = (await readProblems(services, newestTry)).filter(({ failsRun }) => failsRun);
  if (problems.length === 0) return [];
  return [makeReason(null, 'The run failed for another reason than its tests', formatProblemLines(problems))];
}

function listFailureReasons({ sections, isWhole, base }: RunComparison): Reason[] {
  const newTests = sections.find(({ verdict }) => verdict === (base ? 'new' : 'failed'));
  const reasons: Reason[] = [];
  if (newTests && newTests.total > 0) {
    const { total } = newTests;
    const text = base ? formatCount(total, 'new failure') : `${formatCount(total, 'failure')} without a base`;
    reasons.push(makeReason('noNewFailures', text, listNames(newTests)));
  }
  if (!isWhole) reasons.push(makeReason('noNewFailures', 'Too many tests failed to compare all of them'));
  return reasons;
}

const listNames = ({ tests }: RunComparison['sections'][number]): string[] =>
  tests.map(({ spec, title }) => [spec, ...title].join(' › '));

interface ComparedRun {
  readonly run: Run;
  readonly tries: readonly Run[];
  readonly comparison: RunComparison;
}

async function listMissingReasons(services: Services, { run, tries, comparison }: ComparedRun): Promise<Reason[]> {
  const notRunSection = comparison.sections.find(({ verdict }) => verdict === 'not_run');
  const reasons: Reason[] = [];
  if (notRunSection && notRunSection.total > 0) {
    const text = `${formatCount(notRunSection.total, 'test')} did not run`;
    reasons.push(makeReason('noMissingTests', text, listNames(notRunSection)));
  }
  const { base, baseBranch } = comparison;
  if (!base) {
    // The first run of the default branch becomes the base of others.
    const isFirst = run.commit.branch === baseBranch;
    const text = `No complete run of ${makeVisibleLine(baseBranch)} with the same groups precedes this one`;
    if (!isFirst) reasons.push(makeReason('noMissingTests', text));
    return reasons;
  }
  const baseRun = await services.table.get(runs, { organizationId: run.organizationId, runId: base.runId });
  const baseBuild = baseRun && (await readMergedBuild(services, baseRun));
  const baseTries = baseBuild?.tries ?? [{ organizationId: run.organizationId, runId: base.runId }];
  const { total, places } = await findMissingTests(services, tries, baseTries);
  if (total > 0) reasons.push(makeReason('noMissingTests', formatCount(total, 'missing test'), places));
  return reasons;
}
