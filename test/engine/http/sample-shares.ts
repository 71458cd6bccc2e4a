/** Sample shares. A person creates them, because API keys may not create shares. */
import { accessToken } from '#test/harness/access-tokens.ts';
import type { Tenant, TestService } from '#test/harness/service.ts';
import type { Ids, Need, Sample } from './sample-shapes.ts';

export async function sampleShares(
  tenant: TestService & Tenant,
  runId: string,
  isNeeded: (...needs: readonly Need[]) => boolean,
): Promise<Partial<Ids>> {
  if (!isNeeded('shareSecret', 'shareId')) return {};
  const { api } = await accessToken(tenant);
  const { url, shareId } = (await api.post('/shares', { runId })).body.data;
  return { shareId, shareSecret: url.split('#')[1] };
}

export const SHARE_SAMPLES: Readonly<Record<string, Sample>> = {
  createShare: {
    ids: ['runId'],
    body: ({ runId }) => ({ runId, purpose: 'fix', expiresInDays: 1 }),
    bad: { body: { runId: 'zzzzzz', expiresInDays: 2 } },
  },
  listShares: {
    ids: ['projectId'],
    query: ({ projectId }) => `projectId=${encodeURIComponent(projectId)}`,
    bad: { query: '' },
  },
  deleteShare: { ids: ['shareId'], once: true },
  getShared: {
    ids: [],
    needs: ['shareSecret'],
    headers: ({ shareSecret }) => [['authorization', `Bearer ${shareSecret}`]],
    bad: { query: 'limit=0' },
  },
};
