import * as z from 'zod';
import { CONTEXT_LIMITS } from '#shared/context/limits.ts';
import { ContextQuery } from '#shared/context/query-wire.ts';
import { readTestContext } from '#shared/context/read-test.ts';
import { maskedWithin } from '#shared/masking/masking.ts';
import { id } from '#shared/model/names.ts';
import { titleOf } from '#shared/pages/design/outcome.tsx';
import { runBreadcrumbs } from '#shared/pages/runs/run-breadcrumbs.ts';
import { instanceHref } from '#shared/pages/shell/hrefs.ts';
import { STRIP_EXECUTIONS } from '#shared/pages/shell/limits.ts';
import { outcomeOfContext } from '#shared/pages/tests/attempts.tsx';
import { commitTitle, TestOfRunPage } from '#shared/pages/tests/test-of-run-page.tsx';
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
    const [found, files] = await Promise.all([
      readTestContext(services, { ...key, attempt }),
      listTestFiles(services, key),
    ]);
    requireRunOfProject(found.meta, visit);
    const { signature, runId } = found.meta;
    const { executions } = await readLatestExecutions(services, { organizationId, signature, limit: STRIP_EXECUTIONS });
    const { shown: context } = maskedWithin(found, CONTEXT_LIMITS.maskedCharacters);
    const name = context.test.title.at(-1) ?? '';
    return {
      title: `${titleOf(outcomeOfContext(context))} · ${name}`,
      tab: 'Runs',
      breadcrumbs: runBreadcrumbs(
        visit,
        { runId, name: commitTitle(executions, runId) || 'Run' },
        { name: context.spec, href: instanceHref(visit, instanceId) },
        { name },
      ),
      body: (
        <TestOfRunPage visit={visit} context={context} files={files} executions={executions} now={services.now()} />
      ),
    };
  },
});
