import { formatContext } from '#shared/context/markdown/context-text.ts';
import { ContextQuery } from '#shared/context/query-wire.ts';
import { readContext } from '#shared/context/read-context.ts';
import { makeTextContent } from '#shared/engine/http/content.ts';
import { refuseAi } from '#shared/organizations/sharing-settings.ts';
import { page } from '#shared/platform/page.ts';
import { findRunOfProject, requireInstanceOfProject } from '#shared/results/runs/run-of-project.ts';

/** §4.3 The failure context of a run as Markdown, which the page of the run offers to copy. */
export const getRunContext = page({
  operationId: 'getRunContext',
  route: 'GET /{organizationId}/{projectId}/runs/{runId}/context.md',
  lambda: 'contexts',
  needs: 'results:read',
  access: { table: 'read', artifacts: 'read' },
  query: ContextQuery.pick({ detail: true, limit: true, page: true, max_length: true, include_flaky: true }),
  async show({ visit, path: { runId }, query }, services) {
    refuseAi(visit);
    const { organizationId } = await findRunOfProject(services, { ...visit, runId });
    const context = await readContext(services, organizationId, ContextQuery.parse({ ...query, run_id: runId }));
    return makeTextContent(formatContext(context, query, { now: services.now() }));
  },
});

/** §4.3 The failure context of one test as Markdown, which the page of its result offers to copy. */
export const getTestContext = page({
  operationId: 'getTestContext',
  route: 'GET /{organizationId}/{projectId}/instances/{instanceId}/context.md',
  lambda: 'contexts',
  needs: 'results:read',
  access: { table: 'read', artifacts: 'read' },
  query: ContextQuery.pick({ test_id: true, attempt: true, detail: true, max_length: true }).required({
    test_id: true,
  }),
  async show({ visit, path: { instanceId }, query }, services) {
    refuseAi(visit);
    await requireInstanceOfProject(services, { ...visit, instanceId });
    const contextQuery = ContextQuery.parse({ ...query, instance_id: instanceId });
    const context = await readContext(services, visit.organizationId, contextQuery);
    return makeTextContent(formatContext(context, contextQuery, { now: services.now() }));
  },
});
