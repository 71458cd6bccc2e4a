import * as z from 'zod';
import { formatActorName } from '#shared/access/actor.ts';
import { presentComparison, presentTests } from '#shared/context/shown-comparison.ts';
import { readShownError } from '#shared/context/shown-error.ts';
import { presentProblems } from '#shared/context/shown-problems.ts';
import { notFound, refuse } from '#shared/engine/errors.ts';
import { makeBytesContent, makeStateContent, redirect } from '#shared/engine/http/content.ts';
import { PAGE_LIMITS } from '#shared/engine/http/limits.ts';
import { cursorQuery } from '#shared/engine/http/pagination.ts';
import { makeLookup } from '#shared/engine/table/found.ts';
import { cancelRun } from '#shared/lifecycle/cancel-run.ts';
import { deleteRun } from '#shared/lifecycle/delete-run.ts';
import { id } from '#shared/model/names.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import type { ShownFiles } from '#shared/model/results/shown-files.ts';
import { getRunsSpan, type Run, runs, runsOfProject } from '#shared/model/runs/run.ts';
import { readShards } from '#shared/orchestration/read-shards.ts';
import { resetMachines } from '#shared/orchestration/reset-machines.ts';
import { loadActorNames } from '#shared/organizations/actor-names.ts';
import { formatCount, formatDuration, formatQuantity } from '#shared/pages/design/format.tsx';
import { findMergedBuild, formatRunTabTitle } from '#shared/pages/design/outcome.tsx';
import { getRunName, isMadeUpBuildId } from '#shared/pages/design/run-name.ts';
import { NO_RUNS } from '#shared/pages/home/how-to-record.tsx';
import { type Evidence, listTestsWithStrip, type SectionTests } from '#shared/pages/runs/compared-tests.tsx';
import { measureRun } from '#shared/pages/runs/duration-note.ts';
import { makePictureFinder } from '#shared/pages/runs/failure-picture.tsx';
import { makeRunBreadcrumbs } from '#shared/pages/runs/run-breadcrumbs.ts';
import { RunPage } from '#shared/pages/runs/run-page.tsx';
import { RunsPage } from '#shared/pages/runs/runs-page.tsx';
import { TestsOfRunPage } from '#shared/pages/runs/tests-of-run-page.tsx';
import { TimelinePage } from '#shared/pages/runs/timeline-page.tsx';
import { renderTimelineSvg } from '#shared/pages/runs/timeline-svg.tsx';
import { linkToRun, linkToRunPage, linkToRuns } from '#shared/pages/shell/hrefs.ts';
import { LIST_RUNS } from '#shared/pages/shell/limits.ts';
import { QuestionPage } from '#shared/pages/shell/question-page.tsx';
import { findSentValue } from '#shared/pages/shell/refused-form.tsx';
import { sumGroups } from '#shared/pages/shell/run-row.tsx';
import { form, page, polledPart } from '#shared/platform/page.ts';
import { findRunByText, listBaseChoices } from '#shared/results/comparisons/choose-base.ts';
import { compareIfPossible } from '#shared/results/comparisons/compare-runs.ts';
import { FAILING } from '#shared/results/comparisons/comparison-sections.ts';
import { type ComparedTest, comparisonQuery } from '#shared/results/comparisons/comparison-wire.ts';
import { addKnownFlaky, deriveKnownFlaky } from '#shared/results/executions/known-flaky.ts';
import { readExecutionsOfTests } from '#shared/results/executions/latest-executions.ts';
import { makeNextFinder } from '#shared/results/executions/next-executions.ts';
import { listTestsOfRun } from '#shared/results/executions/tests-of-run.ts';
import { testsOfRunQuery } from '#shared/results/executions/tests-of-run-wire.ts';
import { addKnownIssues, readKnownIssues } from '#shared/results/failures/known-issues.ts';
import { runsFilterQuery } from '#shared/results/filter-wire.ts';
import { findLastTraces } from '#shared/results/instances/test-files.ts';
import { RESULT_LIMITS } from '#shared/results/limits.ts';
import { listRunsWithTotals } from '#shared/results/runs/list-runs.ts';
import { pickLiveState, readLiveRun } from '#shared/results/runs/live-counters.ts';
import { presentWholeRun, readRunRows, readShownFiles } from '#shared/results/runs/read-run.ts';
import { readRunChanges } from '#shared/results/runs/run-changes.ts';
import { findRunOfProject, requireRunOfProject } from '#shared/results/runs/run-of-project.ts';
import { buildTimeline } from '#shared/results/runs/timeline.ts';
import { listQuarantined } from '#shared/rules/list-quarantined.ts';
import { searchSpecFiles } from '#shared/search/search-project.ts';
import type { Services } from '#shared/services.ts';

export const showRuns = page({
  operationId: 'showRuns',
  route: 'GET /{organizationId}/{projectId}/runs',
  needs: 'results:read',
  access: { table: 'read', artifacts: 'none' },
  query: z.object({ ...cursorQuery({ ...PAGE_LIMITS.cursorPage, default: LIST_RUNS }), ...runsFilterQuery }),
  async show({ visit, caller, query, at }, services) {
    const result = await listRunsWithTotals(services, { ...caller, query });
    const branch = visit.project.defaultBranchName;
    const changes = await readRunChanges(services, {
      organizationId: visit.organizationId,
      branch,
      items: result.data,
    });
    const props = { visit, at, query, changes, runs: result.data, paging: { query, ...result }, now: services.now() };
    const body = <RunsPage {...props} origin={services.origin} />;
    // For a project without runs, the page shows the import form.
    return {
      title: 'Runs',
      tab: 'Runs',
      body,
      ...(result.data.length === 0 && { script: 'import.js', uploads: true }),
    };
  },
});

/** The script of the page of a project without runs polls it until the first run arrives. */
export const showFirstRunLive = polledPart({
  operationId: 'showFirstRunLive',
  route: 'GET /{organizationId}/{projectId}/first-run/live',
  needs: 'results:read',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit }, services) {
    const { rows } = await services.table.query(runsOfProject, getRunsSpan(visit), { limit: 1 });
    return makeStateContent(rows.length === 0 ? NO_RUNS : rows.length);
  },
});

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
  async show(
    {
      visit,
      path: { runId },
      firstRow,
      query: { base: chosenBase, choose, files: shownSpecFiles, ...comparisonParameters },
      refused,
    },
    services,
  ) {
    const storedRun = firstRow ?? refuse(notFound('Run'));
    requireRunOfProject(storedRun, visit);
    const key = { organizationId: visit.organizationId, runId };
    const at = { ...key, projectId: visit.projectId };
    const baseRunId = chosenBase ? await findRunByText(services, at, chosenBase) : undefined;
    const query = baseRunId ? { ...comparisonParameters, base_run_id: baseRunId } : comparisonParameters;
    const rows = readRunRows(services, key);
    const files = readShownFiles(services, key);
    const [
      run,
      nameOf,
      { comparison, problem: baseProblem, baseRun, absentCount, executionsOf, errorsOf, found },
      issuesBy,
      quarantinedTests,
      shownFiles,
      choices,
      shards,
    ] = await Promise.all([
      rows.then((read) => presentWholeRun(services, read, [])),
      loadActorNames(services, storedRun.cancellation ? [storedRun.cancellation.actor] : []),
      compareIfPossible(
        services,
        {
          ...key,
          query,
          project: visit.project,
          run: storedRun,
          files: rows.then((read) => read.files),
          room: query.limit,
          withLater: true,
        },
        async (of, sections) =>
          readEvidence(services, of, { sections: sections.map(presentTests), shown: await files }),
      ),
      readKnownIssues(services, at),
      listQuarantined(services, key),
      files,
      choose ? listBaseChoices(services, at, visit.project.defaultBranchName) : undefined,
      readShards(services, storedRun),
    ]);
    const { run: runRow } = await rows;
    const { importId } = runRow;
    const { completeSpecs, ...counters } = sumGroups(run);
    const liveState = pickLiveState(runRow, { specFiles: { complete: completeSpecs }, tests: counters });
    const problems = presentProblems(run.problems ?? []);
    const name = getRunName({ ...run.meta, branch: run.meta.commit.branch });
    const { branch } = run.meta.commit;
    const flakyOf = (signature: string) => deriveKnownFlaky(executionsOf({ signature })?.executions ?? [], run);
    const sections = comparison.sections.map((section) => addKnownIssues(addKnownFlaky(section, flakyOf), issuesBy));
    const problem = chosenBase && !baseRunId ? notFound('Run with this address, build or commit') : baseProblem;
    const comparedRuns = { comparison: presentComparison({ ...comparison, sections }), problem };
    const evidence: Evidence = {
      stripOf: (test) => [executionsOf, found.executionsOf].flatMap((of) => of(test)?.executions ?? []),
      traceOf: found.traceOf,
      nextOf: makeNextFinder(runRow, executionsOf),
      pictureOf: makePictureFinder(shownFiles),
      countFurtherErrors: (test) => Math.max(0, errorsOf(test).length - 1),
      findErrorReading: readErrorsOnce(
        sections.flatMap(({ tests }) => tests),
        (test) => {
          const [error] = errorsOf(test);
          return error && readShownError(error);
        },
      ),
    };
    return {
      title: `${formatRunTabTitle(run, findMergedBuild(run)?.tests ?? counters)} · ${name}`,
      tab: 'Runs',
      breadcrumbs: [
        { name: 'Runs', href: linkToRuns(visit) },
        ...(branch === null ? [] : [{ name: branch, href: linkToRuns(visit, { 'branches[]': [branch] }) }]),
        { name: isMadeUpBuildId(run.meta.ciBuildId) ? name : run.meta.ciBuildId },
      ],
      body: (
        <RunPage
          {...{
            visit,
            run,
            compared: comparedRuns,
            query,
            chosenBase,
            choices,
            showsAllFiles: shownSpecFiles === 'all',
            evidence,
            refused,
            nameOf,
            quarantined: quarantinedTests,
            importId,
            problems,
            liveState,
            shards,
          }}
          base={baseRun && measureRun(baseRun)}
          absentCount={absentCount}
          now={services.now()}
        />
      ),
      problem,
    };
  },
});
function readErrorsOnce(
  tests: readonly ComparedTest[],
  read: Evidence['findErrorReading'],
): Evidence['findErrorReading'] {
  const readings = new Map(tests.map((test) => [`${test.instanceId} ${test.testId}`, read(test)]));
  return ({ instanceId, testId }) => readings.get(`${instanceId} ${testId}`);
}
interface EvidenceInput {
  readonly sections: readonly SectionTests[];
  readonly shown: readonly ShownFiles[];
}
/** The comparison already contains the past executions of failing tests, so they are read only for the others. */
async function readEvidence(services: Services, run: Run, { sections, shown }: EvidenceInput) {
  const others = sections.filter(({ verdict }) => !FAILING.has(verdict)).flatMap(listTestsWithStrip);
  const { organizationId, endedAt: until } = run;
  const [traceOf, executionsOf] = await Promise.all([
    findLastTraces(services, { organizationId, shown, tests: sections.flatMap(({ tests }) => tests) }),
    readExecutionsOfTests(
      services,
      organizationId,
      others.map(({ signature }) => ({ signature, until })),
    ),
  ]);
  return { traceOf, executionsOf };
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
    // A test that a run in progress has for the first time is in no list of names yet.
    const searchFiles = async () =>
      run.completionState === 'IN_PROGRESS'
        ? { matches: new Set<string>(), known: new Set<string>() }
        : searchSpecFiles(services, visit, query.q ?? '');
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
    const name = getRunName({ ...run.meta, branch: run.meta.commit.branch });
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

/** Names what ends, because a cancelled run is never resumed. */
export const showCancelRun = page({
  operationId: 'showCancelRun',
  route: 'GET /{organizationId}/{projectId}/runs/{runId}/cancel',
  needs: 'runs:write',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, path: { runId }, refused }, services) {
    const rows = await readRunRows(services, { organizationId: visit.organizationId, runId });
    const run = await presentWholeRun(services, rows, []);
    requireRunOfProject(run, visit);
    const now = services.now();
    const { ciBuildId, commit } = run.meta;
    const name = getRunName({ ...run.meta, branch: commit.branch });
    const { machines } = buildTimeline(run, now);
    const { completeSpecs, specs } = sumGroups(run);
    return {
      title: `Cancel ${name}`,
      tab: 'Runs',
      breadcrumbs: makeRunBreadcrumbs(visit, { runId, name }, { name: 'Cancel' }),
      body: (
        <QuestionPage
          question={`Cancel the run ${name}?`}
          action={linkToRunPage(visit, runId, 'cancel')}
          refused={refused}
          yes="Cancel this run"
          no="Let it run"
          back={linkToRun(visit, runId)}
        >
          {!isMadeUpBuildId(ciBuildId) && `Build ${ciBuildId}${commit.branch === null ? '' : ` of ${commit.branch}`}. `}
          {run.completionState === 'IN_PROGRESS'
            ? `${formatQuantity(machines.length, 'machine')} ${machines.length === 1 ? 'has' : 'have'} recorded it for ${formatDuration(now - Date.parse(run.createdAt))}, and ${formatCount(completeSpecs)} of ${formatQuantity(specs, 'spec file')} are complete. No spec file will be started. The results so far stay. This cannot be undone.`
            : 'This run has ended, so there is nothing to cancel.'}
        </QuestionPage>
      ),
    };
  },
});

export const submitCancelRun = form({
  operationId: 'submitCancelRun',
  route: 'POST /{organizationId}/{projectId}/runs/{runId}/cancel',
  lambda: 'run-forms',
  needs: 'runs:write',
  access: { table: 'readWrite', artifacts: 'none' },
  page: 'showCancelRun',
  async submit({ visit, path: { runId } }, services) {
    const { organizationId } = await findRunOfProject(services, { ...visit, runId });
    await cancelRun(services, { organizationId, runId, actor: formatActorName(visit.person) });
    return redirect(linkToRun(visit, runId));
  },
});

/** The machine is a query parameter, because its name may contain any character. */
export const showResetRun = page({
  operationId: 'showResetRun',
  route: 'GET /{organizationId}/{projectId}/runs/{runId}/reset',
  needs: 'runs:write',
  access: { table: 'read', artifacts: 'none' },
  query: z.object({ machine_id: id.optional() }),
  async show({ visit, path: { runId }, query, refused }, services) {
    const { ciBuildId } = await findRunOfProject(services, { ...visit, runId });
    const sentMachineId = findSentValue(refused, 'submitResetRun', 'machineId');
    const machineId = query.machine_id ?? sentMachineId ?? refuse(notFound('Machine'));
    return {
      title: `Release ${machineId}`,
      tab: 'Runs',
      breadcrumbs: makeRunBreadcrumbs(visit, { runId, name: ciBuildId }, { name: 'Release a machine' }),
      body: (
        <QuestionPage
          question={`Release the spec files of the machine ${machineId}?`}
          action={linkToRunPage(visit, runId, 'reset')}
          refused={refused}
          fields={{ machineId }}
          yes="Release its spec files"
          no="Keep them"
          back={linkToRun(visit, runId)}
        >
          Release the spec files of this machine only if it was interrupted. The results of its unfinished and failed
          spec files will be deleted. Other machines of the run can then record these spec files again.
        </QuestionPage>
      ),
    };
  },
});

/** §4.4.3 */
export const submitResetRun = form({
  operationId: 'submitResetRun',
  route: 'POST /{organizationId}/{projectId}/runs/{runId}/reset',
  lambda: 'run-forms',
  needs: 'runs:write',
  access: { table: 'readWrite', alsoWrites: [auditRecords], artifacts: 'delete' },
  fields: z.object({ machineId: id }),
  page: 'showResetRun',
  async submit({ visit, path: { runId }, fields: { machineId } }, services) {
    const { organizationId } = await findRunOfProject(services, { ...visit, runId });
    const reset = { organizationId, runId, machineIds: [machineId], which: 'all', actor: visit.person } as const;
    await resetMachines(services, reset);
    return redirect(linkToRun(visit, runId));
  },
});

export const showDeleteRun = page({
  operationId: 'showDeleteRun',
  route: 'GET /{organizationId}/{projectId}/runs/{runId}/delete',
  needs: 'runs:write',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, path: { runId }, refused }, services) {
    const { ciBuildId } = await findRunOfProject(services, { ...visit, runId });
    return {
      title: `Delete ${ciBuildId}`,
      tab: 'Runs',
      breadcrumbs: makeRunBreadcrumbs(visit, { runId, name: ciBuildId }, { name: 'Delete' }),
      body: (
        <QuestionPage
          question={`Delete the run ${ciBuildId}?`}
          action={linkToRunPage(visit, runId, 'delete')}
          refused={refused}
          yes="Delete this run"
          back={linkToRun(visit, runId)}
        >
          The results, files and history of this run will be deleted. This cannot be undone.
        </QuestionPage>
      ),
    };
  },
});

export const submitDeleteRun = form({
  operationId: 'submitDeleteRun',
  route: 'POST /{organizationId}/{projectId}/runs/{runId}/delete',
  lambda: 'run-forms',
  needs: 'runs:write',
  access: { table: 'readWrite', alsoWrites: [auditRecords], artifacts: 'delete' },
  page: 'showDeleteRun',
  async submit({ visit, path: { runId } }, services) {
    const { organizationId } = await findRunOfProject(services, { ...visit, runId });
    await deleteRun(services, { organizationId, runId, actor: visit.person });
    return redirect(linkToRuns(visit));
  },
});
