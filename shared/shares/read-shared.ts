/** §5.3 What a share shows: the failure context of the shared run, spec file or test, and nothing about other runs. */
import type { ContextData } from '#shared/context/context-wire.ts';
import { ContextQuery } from '#shared/context/query-wire.ts';
import { readContext } from '#shared/context/read-context.ts';
import type { Share } from '#shared/model/organizations/share.ts';
import type { Services } from '#shared/services.ts';
import { requireObjectWithin } from './open-share.ts';

/** The query parameters of a shared failure context. The share itself determines the run. */
export const SharedQuery = ContextQuery.omit({ run_id: true, include_flaky: true });

export interface SharedContext {
  readonly context: ContextData;
  /** The parameters with which the failure context was read. */
  readonly query: ContextQuery;
}

export async function readShared(
  services: Services,
  share: Share,
  { instance_id, test_id, attempt: askedAttempt, ...options }: Partial<ContextQuery>,
): Promise<SharedContext> {
  const { runId, instanceId, testId, attempt } = requireObjectWithin(share, {
    instance_id,
    test_id,
    attempt: askedAttempt,
  });
  const ids =
    testId === undefined
      ? { run_id: runId, instance_id: instanceId }
      : { instance_id: instanceId, test_id: testId, attempt };
  const query = ContextQuery.parse({ ...options, ...ids });
  return { context: await readContext(services, share.organizationId, query, 'run'), query };
}
