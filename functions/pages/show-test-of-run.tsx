import * as z from 'zod';
import { CONTEXT_LIMITS } from '#shared/context/limits.ts';
import { ContextQuery } from '#shared/context/query-wire.ts';
import { readTestContext } from '#shared/context/read-test.ts';
import { maskObjectWithin } from '#shared/masking/masking.ts';
import { id } from '#shared/model/names.ts';
import { formatTabTitle } from '#shared/pages/design/outcome.tsx';
import { makeRunBreadcrumbs } from '#shared/pages/runs/run-breadcrumbs.ts';
import { linkToInstance } from '#shared/pages/shell/hrefs.ts';
import { STRIP_EXECUTIONS } from '#shared/pages/shell/limits.ts';
import { getContextOutcome } from '#shared/pages/tests/attempts.tsx';
import { findCommitTitle, TestOfRunPage } from '#shared/pages/tests/test-of-run-page.tsx';
import { page } from '#shared/platform/page.ts';
import { readLatestExecutions } from '#shared/results/latest-executions.ts';
import { requireRunOfProject } from '#shared/results/run-of-project.ts';
import { listTestFiles } from '#shared/results/test-files.ts';

export const handler = page({
  operationId: 'showTestOfRun',
  route: 'GET /{organizationId}/{projectId}/instances/{instanceId}/test',
  needs: 'results:read',
  access: { table: 'read', artifacts: 'read' },
  query: z.object({ test_id: id, attempt: ContextQuery.shape.attempt }),
  async show({ visit, path: { instanceId }, query: { test_id: testId, attempt } }, services) {
    const { organizationId } = visit;
    const key = { organizationId, instanceId, testId };
    const [unmaskedContext, files] = await Promise.all([
      readTestContext(services, { ...key, attempt }),
      listTestFiles(services, key),
    ]);
    requireRunOfProject(unmaskedContext.meta, visit);
    const { signature, runId } = unmaskedContext.meta;
    const { executions } = await readLatestExecutions(services, { organizationId, signature, limit: STRIP_EXECUTIONS });
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
      body: (
        <TestOfRunPage visit={visit} context={context} files={files} executions={executions} now={services.now()} />
      ),
    };
  },
});
