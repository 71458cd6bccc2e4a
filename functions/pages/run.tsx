import * as z from 'zod';
import { may } from '#shared/access/may.ts';
import { presentProblems } from '#shared/context/shown-problems.ts';
import { notFound, refuse } from '#shared/engine/errors.ts';
import { makeBytesContent, makeStateContent } from '#shared/engine/http/content.ts';
import { makeLookup } from '#shared/engine/table/found.ts';
import { type Run, runs } from '#shared/model/runs/run.ts';
import { terms } from '#shared/model/runs/term.ts';
import { readShards } from '#shared/orchestration/read-shards.ts';
import { loadActorNames } from '#shared/organizations/actor-names.ts';
import { getRunName, isMadeUpBuildId } from '#shared/pages/design/run-name.ts';
import { formatRunTabTitle } from '#shared/pages/design/run-outcome.ts';
import { readComparedRun } from '#shared/pages/runs/read-compared-run.ts';
import { makeRunBreadcrumbs } from '#shared/pages/runs/run-breadcrumbs.ts';
import { RunPage } from '#shared/pages/runs/run-page.tsx';
import { TestsOfRunPage } from '#shared/pages/runs/tests-of-run-page.tsx';
import { TimelinePage } from '#shared/pages/runs/timeline-page.tsx';
import { renderTimelineSvg } from '#shared/pages/runs/timeline-svg.tsx';
import { linkToRuns } from '#shared/pages/shell/hrefs.ts';
import { countShownTests, sumGroups } from '#shared/pages/shell/run-totals.ts';
import type { Breadcrumb } from '#shared/pages/shell/view.ts';
import { page, polledPart } from '#shared/platform/page.ts';
import { findRunByText, listBaseChoices } from '#shared/results/comparisons/choose-base.ts';
import { comparisonQuery } from '#shared/results/comparisons/comparison-wire.ts';
import { listTestsOfRun } from '#shared/results/executions/tests-of-run.ts';
import { testsOfRunQuery } from '#shared/results/executions/tests-of-run-wire.ts';
import { RESULT_LIMITS } from '#shared/results/limits.ts';
import { pickLiveState, readLiveRun, readPlanOfFiles } from '#shared/results/runs/live-counters.ts';
import { presentWholeRun, readRunRows } from '#shared/results/runs/read-run.ts';
import { requireRunOfProject } from '#shared/results/runs/run-of-project.ts';
import { buildTimeline } from '#shared/results/runs/timeline.ts';
import { listQuarantined } from '#shared/rules/list-quarantined.ts';
import { searchSpecFiles } from '#shared/search/search-project.ts';
import type { Services } from '#shared/services.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';

export const showRun = page({
  operationId: 'showRun',
  route: 'GET /{organizationId}/{projectId}/runs/{runId}',
  needs: 'results:read',
  access: { table: 'read', artifacts: 'read' },
  query: z.object({
    ...comparisonQuery,
    // What a person entered to choose the base: an address, a build or a commit.
    base: z.string().max(RESULT_LIMITS.searchCharacters).optional(),
    choose: z.literal('base').optional(),
    files: z.literal('all').optional(),
  }),
  findFirst: (key) => makeLookup(runs, key),
  async show({ visit, path: { runId }, firstRow, query: sentQuery, refused }, services) {
    const { base: chosenBase, choose, files: shownSpecFiles, ...sentComparison } = sentQuery;
    const storedRun = firstRow ?? refuse(notFound('Run'));
    requireRunOfProject(storedRun, visit);
    const { organizationId, projectId, project } = visit;
    const key = { organizationId, runId };
    const at = { ...key, projectId };
    const baseRunId = chosenBase ? await findRunByText(services, at, chosenBase) : undefined;
    const query = { ...sentComparison, base_run_id: baseRunId ?? sentComparison.base_run_id };
    const rows = readRunRows(services, key);
    const compared = readComparedRun(services, {
      project,
      run: storedRun,
      rows,
      query,
      withRules: may(visit.person, 'actions:read'),
    });
    const [run, nameOf, comparedRun, quarantinedTests, choices, shards, { run: runRow }, plan, isDefaultUnused] =
      await Promise.all([
        rows.then((runInRows) => presentWholeRun(services, runInRows, [])),
        loadActorNames(services, storedRun.cancellation ? [storedRun.cancellation.actor] : []),
        compared,
        listQuarantined(services, key),
        choose ? listBaseChoices(services, at, project.defaultBranchName) : undefined,
        readShards(services, storedRun),
        rows,
        rows.then(({ files }) => readPlanOfFiles(services, storedRun, files)),
        compared.then(({ comparison: { base } }) => !base && hasUnusedDefaultBranch(services, visit, storedRun)),
      ]);
    const baseNotFound = chosenBase && !baseRunId ? notFound('Run with this address, build or commit') : undefined;
    const problem = baseNotFound ?? comparedRun.problem;
    const { completeSpecs, ...counters } = sumGroups(run);
    const name = getRunName(run);
    const { branch } = run.meta.commit;
    const breadcrumbs: Breadcrumb[] = [{ name: 'Runs', href: linkToRuns(visit) }];
    if (branch !== null) breadcrumbs.push({ name: branch, href: linkToRuns(visit, { 'branches[]': [branch] }) });
    breadcrumbs.push({ name: isMadeUpBuildId(run.meta.ciBuildId) ? name : run.meta.ciBuildId });
    return {
      title: `${formatRunTabTitle(run, countShownTests(run))} · ${name}`,
      tab: 'Runs',
      breadcrumbs,
      problem,
      body: (
        <RunPage
          visit={visit}
          run={run}
          compared={{ ...comparedRun, problem }}
          query={query}
          chosenBase={chosenBase}
          choices={choices}
          showsAllFiles={shownSpecFiles === 'all'}
          importId={runRow.importId}
          nameOf={nameOf}
          quarantined={quarantinedTests}
          problems={presentProblems(run.problems ?? [])}
          shards={shards}
          plan={plan}
          isDefaultUnused={isDefaultUnused}
          liveState={pickLiveState(runRow, { specFiles: { complete: completeSpecs }, tests: counters })}
          refused={refused}
          now={services.now()}
        />
      ),
    };
  },
});

/** Whether the run is on another branch than the default one, and no run of the project is on that. */
async function hasUnusedDefaultBranch(services: Services, visit: ProjectVisit, { commit }: Run): Promise<boolean> {
  const value = visit.project.defaultBranchName;
  if (commit.branch === null || commit.branch === value) return false;
  return (await services.table.get(terms, { ...visit, termType: 'branch', value })) === undefined;
}

/** The script of the run page polls it while the run is in progress, and reads the page again when the tag changes. */
export const showRunLive = polledPart({
  operationId: 'showRunLive',
  route: 'GET /{organizationId}/{projectId}/runs/{runId}/live',
  needs: 'results:read',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, path: { runId } }, services) {
    const { run, progress } = await readLiveRun(services, { organizationId: visit.organizationId, runId });
    requireRunOfProject(run, visit);
    return makeStateContent(pickLiveState(run, progress));
  },
});

const NO_KNOWN_FILES: Awaited<ReturnType<typeof searchSpecFiles>> = { matches: new Set(), known: new Set() };

export const showTestsOfRun = page({
  operationId: 'showTestsOfRun',
  route: 'GET /{organizationId}/{projectId}/runs/{runId}/tests',
  needs: 'results:read',
  access: { table: 'read', artifacts: 'none' },
  query: testsOfRunQuery,
  async show({ visit, path: { runId }, query, at }, services) {
    const rows = await readRunRows(services, { organizationId: visit.organizationId, runId });
    const run = await presentWholeRun(services, rows, []);
    requireRunOfProject(run, visit);
    // A test that a run in progress has for the first time is in no list of names yet, so no file is left out.
    const searchFiles = async () =>
      run.completionState === 'IN_PROGRESS' ? NO_KNOWN_FILES : searchSpecFiles(services, visit, query.q ?? '');
    const list = await listTestsOfRun(services, rows, query, searchFiles);
    const name = run.meta.title ?? run.meta.ciBuildId;
    const breadcrumbs = makeRunBreadcrumbs(visit, { runId, name }, { name: 'All tests' });
    const body = <TestsOfRunPage visit={visit} at={at} run={run} list={list} />;
    return { title: `Tests of ${name}`, tab: 'Runs', breadcrumbs, body };
  },
});

export const showTimeline = page({
  operationId: 'showTimeline',
  route: 'GET /{organizationId}/{projectId}/runs/{runId}/timeline',
  needs: 'results:read',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, path: { runId } }, services) {
    const rows = await readRunRows(services, { organizationId: visit.organizationId, runId });
    const run = await presentWholeRun(services, rows, []);
    requireRunOfProject(run, visit);
    const name = getRunName(run);
    const breadcrumbs = makeRunBreadcrumbs(visit, { runId, name }, { name: 'Timeline' });
    const body = <TimelinePage visit={visit} run={run} timeline={buildTimeline(run, services.now())} />;
    return { title: `Timeline of ${name}`, tab: 'Runs', breadcrumbs, body };
  },
});

/**
 * The timeline of a run as an SVG file. Browsers download the file instead of showing it, so that no script in it can
 * run on this origin.
 */
export const getTimeline = page({
  operationId: 'getTimeline',
  route: 'GET /{organizationId}/{projectId}/runs/{runId}/timeline.svg',
  needs: 'results:read',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, path: { runId } }, services) {
    const run = await presentWholeRun(services, await readRunRows(services, { ...visit, runId }), []);
    requireRunOfProject(run, visit);
    const svg = renderTimelineSvg({ run, timeline: buildTimeline(run, services.now()) });
    const headers = { 'Content-Disposition': `attachment; filename="timeline-${runId}.svg"` };
    return makeBytesContent(Buffer.from(svg), 'image/svg+xml', { headers });
  },
});
