import { atDetail } from '#shared/context/detail.ts';
import { contextMarkdown } from '#shared/context/markdown/context-markdown.ts';
import { serialize } from '#shared/context/markdown/serialize.ts';
import { masked } from '#shared/context/masking.ts';
import { ContextQuery } from '#shared/context/query-wire.ts';
import { readContext } from '#shared/context/read-context.ts';
import { plainText } from '#shared/engine/http/content.ts';
import { id } from '#shared/model/names.ts';
import { page } from '#shared/platform/page.ts';

/** §4.3 The failure context of one test as Markdown, for copying. */
export const handler = page({
  operationId: 'getTestContext',
  route: 'GET /{organizationId}/{projectId}/instances/{instanceId}/context.md',
  needs: 'results:read',
  access: { table: 'read', artifacts: 'read' },
  path: { instanceId: id },
  query: ContextQuery.pick({ test_id: true, attempt: true, detail: true, max_length: true }).required({
    test_id: true,
  }),
  async show({ visit: { organizationId }, path: { instanceId }, query }, services) {
    const { detail, max_length: maxLength } = query;
    const context = await readContext(
      services,
      organizationId,
      ContextQuery.parse({ ...query, instance_id: instanceId }),
    );
    const markdown = contextMarkdown(atDetail(masked(context), detail), { detail, now: services.now() });
    return plainText(serialize(markdown, maxLength === undefined ? {} : { maxLength }));
  },
});
