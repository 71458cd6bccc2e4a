/** Runs as tools show them: with the fields that distinguish runs, but without settings and links. */
import type * as z from 'zod';
import { sumCounters } from '#shared/model/results/outcomes.ts';
import type { RunComparison } from '#shared/results/comparisons/comparison-wire.ts';
import type { FoundRun } from '#shared/results/runs/find-run-wire.ts';
import type { RunFeedItem, RunSpec } from '#shared/results/runs/run-wire.ts';

type Run = z.output<typeof RunFeedItem>;
type Spec = z.output<typeof RunSpec>;

const SHA_CHARACTERS = 12;

export function shortenRun({ meta: { ciBuildId, title, pr, commit }, groups, ...run }: Run): object {
  const { retries: _, ...tests } = sumCounters(groups.map((group) => group.tests));
  return {
    runId: run.runId,
    status: run.status,
    completionState: run.completionState,
    createdAt: run.createdAt,
    durationMs: run.durationMs,
    ciBuildId,
    branch: commit.branch,
    sha: commit.sha?.slice(0, SHA_CHARACTERS),
    commit: title,
    author: commit.authorName,
    pr: pr?.id,
    prTitle: pr?.title,
    cancelledBy: run.cancellation?.actor,
    tags: run.tags.length > 0 ? run.tags : undefined,
    groups: groups.map(({ groupId }) => groupId),
    tests,
  };
}

/** Each run keeps its cursor, because `formatAnswer` needs the cursor of the last run. */
export const shortenRuns = <Page extends { readonly data: readonly (Run & { readonly cursor: string })[] }>(
  page: Page,
) => ({
  ...page,
  data: page.data.map(({ cursor, ...run }) => ({ ...shortenRun(run), cursor })),
});

/** Names the errors and attempts of fixed tests as those of the base, because the other ids are those of this run. */
export const shortenComparison = ({ data }: { readonly data: RunComparison }): object => ({
  ...data,
  sections: data.sections.map((section) =>
    section.verdict === 'fixed' ? { ...section, tests: section.tests.map(nameBaseError) } : section,
  ),
});

const nameBaseError = ({ error, attempts, ...test }: RunComparison['sections'][number]['tests'][number]): object => ({
  ...test,
  baseError: error,
  baseAttempts: attempts,
});

/** First the spec files with failed, skipped or flaky tests, then those in progress. Passed ones are only counted. */
export function shortenRunWithSpecs({ data }: { readonly data: z.output<typeof FoundRun> }): object {
  const { specs, pwLastRun, ...run } = data;
  const isBad = ({ results }: Spec): boolean =>
    results !== null && (results.stats.failures > 0 || results.stats.skipped > 0 || results.flaky > 0);
  const badSpecs = specs.filter(isBad);
  const openSpecs = specs.filter((spec) => !isBad(spec) && spec.completedAt === null);
  return {
    ...shortenRun(run),
    specFiles: specs.length,
    passedSpecFiles: specs.length - badSpecs.length - openSpecs.length,
    lastRun: pwLastRun,
    specsWithProblems: badSpecs.map(shortenSpec),
    specsInProgress: openSpecs.length > 0 ? openSpecs.map(shortenSpec) : undefined,
  };
}

function shortenSpec({ spec, groupId, instanceId, claimedAt, machineId, results }: Spec): object {
  const isInProgress = results === null || results.stats.overall < results.stats.tests;
  return {
    spec,
    groupId,
    instanceId,
    claimedAt: isInProgress ? claimedAt : undefined,
    machineId: isInProgress ? machineId : undefined,
    tests: results?.stats.tests,
    failures: results?.stats.failures,
    skipped: results?.stats.skipped,
    flaky: results?.flaky,
  };
}
