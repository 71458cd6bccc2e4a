/** Records examples of the operations on shares. */
import * as z from 'zod';

type Send = (operationId: string, method: string, path: string, body?: object) => Promise<Record<string, unknown>>;

const Created = z.object({ shareId: z.string(), url: z.string() });

export async function recordShares(
  request: Send,
  read: (secret: string) => Promise<unknown>,
  of: { readonly projectId: string; readonly runId: string },
): Promise<void> {
  const sent = { runId: of.runId, purpose: 'fix', expiresInDays: 3 };
  const { shareId, url } = Created.parse((await request('createShare', 'POST', '/shares', sent))['data']);
  await read(url.split('#')[1] ?? '');
  await request('listShares', 'GET', `/shares?projectId=${of.projectId}`);
  await request('deleteShare', 'DELETE', `/shares/${shareId}`);
}
