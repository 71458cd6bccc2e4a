import * as z from 'zod';
import { may } from '#shared/access/may.ts';
import type { TestContext } from '#shared/context/context-wire.ts';
import { CONTEXT_LIMITS } from '#shared/context/limits.ts';
import { openFile } from '#shared/context/open-file.ts';
import { ContextQuery } from '#shared/context/query-wire.ts';
import { readTestContext } from '#shared/context/read-test.ts';
import { notFound, refuse } from '#shared/engine/errors.ts';
import { redirect } from '#shared/engine/http/content.ts';
import { maskObjectWithin } from '#shared/masking/mask-object.ts';
import { extractRunId } from '#shared/model/ids.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { id } from '#shared/model/names.ts';
import { formatTabTitle } from '#shared/pages/design/outcome.tsx';
import { makeRunBreadcrumbs, nameStoredRun } from '#shared/pages/runs/run-breadcrumbs.ts';
import { linkToInstance, linkToTestOfRun } from '#shared/pages/shell/hrefs.ts';
import { PAGE_ROWS, STRIP_EXECUTIONS } from '#shared/pages/shell/limits.ts';
import { getContextOutcome } from '#shared/pages/tests/attempts.tsx';
import { makeProjectFileLinks } from '#shared/pages/tests/evidence-links.ts';
import { FilePage } from '#shared/pages/tests/file-page.tsx';
import { InstancePage } from '#shared/pages/tests/instance-page.tsx';
import { findCommitTitle, TestOfRunPage } from '#shared/pages/tests/test-of-run-page.tsx';
import { FailureNeighbours } from '#shared/pages/tests/verdict.tsx';
import { page } from '#shared/platform/page.ts';
import { readKnownFlaky } from '#shared/results/executions/known-flaky.ts';
import { readLatestExecutions } from '#shared/results/executions/latest-executions.ts';
import { readFailurePlace } from '#shared/results/failures/failure-place.ts';
import { fileQuery } from '#shared/results/instances/files-wire.ts';
import { loadInstance } from '#shared/results/instances/load-instance.ts';
import { linkToFile, listTestFiles } from '#shared/results/instances/test-files.ts';
import {
  findRunOfProject,
  requireInstanceOfProject,
  requireRunOfProject,
} from '#shared/results/runs/run-of-project.ts';
import { readQuarantineOfResult } from '#shared/rules/quarantine-of-result.ts';
import { listTestQuarantines } from '#shared/rules/quarantines.ts';

export const showInstance = page({
  operationId: 'showInstance',
  route: 'GET /{organizationId}/{projectId}/instances/{instanceId}',
  needs: 'results:read',
  access: { table: 'read', artifacts: 'read' },
  query: z.object({ page: z.int().min(0).max(MODEL_LIMITS.testsPerSpec).default(0) }),
  async show({ visit, caller, path: { instanceId }, query }, services) {
    const [run, instance] = await Promise.all([
      requireInstanceOfProject(services, { ...visit, instanceId }),
      loadInstance(services, { ...caller, instanceId }),
    ]);
    const { details, artifacts } = instance ?? refuse(notFound('Instance'));
    const { spec } = details.instance;
    const runName = nameStoredRun(run);
    const stdout = artifacts.find(({ type }) => type === 'stdout');
    return {
      title: spec,
      tab: 'Runs',
      breadcrumbs: makeRunBreadcrumbs(visit, { runId: run.runId, name: runName }, { name: spec }),
      body: <InstancePage {...{ visit, details, runName, stdout }} page={query.page} rows={PAGE_ROWS} />,
    };
  },
});

export const showTestOfRun = page({
  operationId: 'showTestOfRun',
  route: 'GET /{organizationId}/{projectId}/instances/{instanceId}/test',
  needs: 'results:read',
  access: { table: 'read', artifacts: 'read' },
  query: z.object({ test_id: id, attempt: ContextQuery.shape.attempt }),
  async show({ visit, path: { instanceId }, query: { test_id: testId, attempt } }, services) {
    const { organizationId } = visit;
    const key = { organizationId, instanceId, testId };
    const branch = visit.project.defaultBranchName;
    const [unmaskedContext, files, place] = await Promise.all([
      readTestContext(services, { ...key, attempt }),
      listTestFiles(services, key),
      readFailurePlace(services, { ...key, runId: extractRunId(instanceId) ?? '', branch }),
    ]);
    requireRunOfProject(unmaskedContext.meta, visit);
    const { signature, runId } = unmaskedContext.meta;
    const { spec, test, annotations } = unmaskedContext;
    const [latestExecutions, quarantines, quarantineOfRun] = await Promise.all([
      readLatestExecutions(services, { organizationId, signature, limit: STRIP_EXECUTIONS }),
      may(visit.person, 'actions:read')
        ? listTestQuarantines(services, visit, { spec, title: test.title, annotations })
        : [],
      hasFailedWithoutEffect(unmaskedContext)
        ? readQuarantineOfResult(services, { organizationId, projectId: visit.project.projectId, instanceId, testId })
        : undefined,
    ]);
    const { executions } = latestExecutions;
    const knownFlaky = place && (await readKnownFlaky(services, place.run, { signature, latestExecutions }));
    const { shown: context } = maskObjectWithin(unmaskedContext, CONTEXT_LIMITS.maskedCharacters);
    const name = context.test.title.at(-1) ?? '';
    return {
      title: `${formatTabTitle(getContextOutcome(context))} · ${name}`,
      tab: 'Runs',
      breadcrumbs: makeRunBreadcrumbs(
        visit,
        { runId, name: findCommitTitle(executions, runId) || 'Run' },
        { name: context.spec, href: linkToInstance(visit, instanceId) },
        { name },
      ),
      neighbours: place && place.total > 1 && <FailureNeighbours visit={visit} place={place} />,
      body: (
        <TestOfRunPage
          {...{ visit, context, files, executions, place, knownFlaky, quarantines }}
          quarantined={quarantineOfRun}
          now={services.now()}
        />
      ),
    };
  },
});

/** Runners report a quarantined failure as a skipped test with errors. */
const hasFailedWithoutEffect = ({ test, error }: TestContext): boolean =>
  error !== null && test.status !== 'failed' && test.status !== 'passed';

/** Pages link here instead of to presigned URLs. The links work as long as the file exists, and hold no signature. */
export const getFile = page({
  operationId: 'getFile',
  route: 'GET /{organizationId}/{projectId}/instances/{instanceId}/files/{fileId}',
  needs: 'results:read',
  access: { table: 'read', artifacts: 'read' },
  query: fileQuery,
  async show({ caller, path: { instanceId, fileId: objectName }, query: { download } }, services) {
    await requireInstanceOfProject(services, { ...caller, instanceId });
    return redirect(await linkToFile(services, { ...caller, instanceId, objectName }, { download }));
  },
});

export const showFile = page({
  operationId: 'showFile',
  route: 'GET /{organizationId}/{projectId}/instances/{instanceId}/files/{fileId}/view',
  needs: 'results:read',
  access: { table: 'read', artifacts: 'read' },
  async show({ visit, caller, path: { instanceId, fileId: objectName } }, services) {
    const run = await requireInstanceOfProject(services, { ...caller, instanceId });
    const open = await openFile(services, { ...caller, instanceId, objectName });
    const { file, owner } = open;
    const { testId, attempt } = file;
    const back =
      testId === undefined
        ? linkToInstance(visit, instanceId)
        : linkToTestOfRun(visit, { instanceId, testId, attempt });
    return {
      title: file.name,
      tab: 'Runs',
      breadcrumbs: makeRunBreadcrumbs(
        visit,
        { runId: run.runId, name: nameStoredRun(run) },
        { name: owner ?? (testId === undefined ? 'Spec file' : 'Test'), href: back },
        { name: file.name },
      ),
      body: <FilePage links={makeProjectFileLinks(visit)} open={open} back={back} />,
    };
  },
});

/** The published reporter prints the run URL with `/i/<instanceId>` appended. */
export const showPrintedInstance = page({
  operationId: 'showPrintedInstance',
  route: 'GET /{organizationId}/{projectId}/runs/{runId}/i/{instanceId}',
  needs: 'results:read',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, path }, services) {
    await findRunOfProject(services, { ...visit, runId: path.runId });
    return redirect(linkToInstance(visit, path.instanceId));
  },
});

/** The published reporter prints this URL for each test in the CI log. */
export const showPrintedTest = page({
  operationId: 'showPrintedTest',
  route: 'GET /{organizationId}/{projectId}/runs/{runId}/i/{instanceId}/test/{testId}',
  needs: 'results:read',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, path }, services) {
    await findRunOfProject(services, { ...visit, runId: path.runId });
    return redirect(linkToTestOfRun(visit, path));
  },
});
