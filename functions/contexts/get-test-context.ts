import { formatContext } from '#shared/context/markdown/context-text.ts';
import { ContextQuery } from '#shared/context/query-wire.ts';
import { readContext } from '#shared/context/read-context.ts';
import { makeTextContent } from '#shared/engine/http/content.ts';
import { refuseAi } from '#shared/organizations/sharing-settings.ts';
import { page } from '#shared/platform/page.ts';
import { requireInstanceOfProject } from '#shared/results/run-of-project.ts';

/** §4.3 The failure context of one test as Markdown, which the page of its result offers to copy. */
export const handler = page({
  operationId: 'getTestContext',
  route: 'GET /{organizationId}/{projectId}/instances/{instanceId}/context.md',
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
