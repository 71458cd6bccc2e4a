/** §4.3 Reads the failure context of a run, an instance or a test. */
import type { Services } from '#shared/services.ts';
import type { ContextData } from './context-wire.ts';
import { readInstanceContext, readRunContext } from './list-failures.ts';
import { LoadingRoom } from './loading-room.ts';
import { contextTooLarge, maskedCharacters, targetOf } from './query.ts';
import type { ContextQuery } from './query-wire.ts';
import { readTestContext } from './read-test.ts';

export function readContext(services: Services, organizationId: string, query: ContextQuery): Promise<ContextData> {
  const target = targetOf(query);
  const { attempt, include_flaky: includeFlaky } = query;
  if (target.level === 'test') return readTestContext(services, { organizationId, attempt, ...target });
  const refusal = query.max_length === undefined ? contextTooLarge(query) : undefined;
  const page = {
    limit: query.limit,
    page: query.page,
    room: new LoadingRoom({ detail: query.detail, characters: maskedCharacters(query), refusal }),
  };
  if (target.level === 'instance') return readInstanceContext(services, { organizationId, ...page, ...target });
  return readRunContext(services, { organizationId, includeFlaky, ...page, ...target });
}
