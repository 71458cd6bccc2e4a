/** Records examples of the operations on rules, which the API calls actions. */
import * as z from 'zod';

type Send = (operationId: string, method: string, path: string, body?: object) => Promise<Record<string, unknown>>;

const ACTION = {
  name: 'Payment is flaky',
  description: 'Until the sandbox of the bank answers in time',
  action: [{ op: 'quarantine' }],
  matcher: { op: 'AND', cond: [{ type: 'file', op: 'eq', value: 'payment.spec.ts' }] },
  expiresAfter: '2199-01-01T00:00:00.000Z',
};
const DAY_MILLISECONDS = 86_400_000;

const Named = z.object({ actionId: z.string() });

export async function recordActions(request: Send, projectId: string): Promise<void> {
  const ofProject = `/actions?projectId=${projectId}`;
  const { actionId } = Named.parse((await request('createAction', 'POST', ofProject, ACTION))['data']);
  const path = `/actions/${actionId}`;
  const from = Date.now() - DAY_MILLISECONDS;
  const to = Date.now() + DAY_MILLISECONDS;
  const range = `date_start=${new Date(from).toISOString()}&date_end=${new Date(to).toISOString()}`;
  await request('listActions', 'GET', ofProject);
  await request('getAction', 'GET', path);
  await request('updateAction', 'PUT', path, { name: 'Payments are flaky' });
  await request('disableAction', 'PUT', `${path}/disable`);
  await request('enableAction', 'PUT', `${path}/enable`);
  await request('getRules', 'GET', `@/rules/project/${projectId}`);
  await request('listAffectedTests', 'GET', `/actions/tests?projectId=${projectId}&${range}`);
  await request('listAffectedExecutions', 'GET', `/actions/tests/${'0'.repeat(32)}?projectId=${projectId}&${range}`);
  await request('listExecutionsOfAction', 'GET', `${path}/tests?${range}`);
  await request('deleteAction', 'DELETE', path);
}
