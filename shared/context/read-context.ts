/** §4.3 Reads the failure context of a run, an instance or a test. */
import type { Services } from '#shared/services.ts';
import type { ContextData } from './context-wire.ts';
import { readInstanceContext, readRunContext } from './list-failures.ts';
import { targetOf } from './query.ts';
import type { ContextQuery } from './query-wire.ts';
import { readTestContext } from './read-test.ts';

export function readContext(services: Services, organizationId: string, query: ContextQuery): Promise<ContextData> {
  const target = targetOf(query);
  const { limit, page, attempt, include_flaky: includeFlaky } = query;
  if (target.level === 'test') return readTestContext(services, { organizationId, attempt, ...target });
  if (target.level === 'instance') return readInstanceContext(services, { organizationId, limit, page, ...target });
  return readRunContext(services, { organizationId, limit, page, includeFlaky, ...target });
}
