/** Records examples of the analytics operations. */

const DAY = 86_400_000;
const day = (days: number): string => new Date(Date.now() + days * DAY).toISOString();

type Ask = (operationId: string, method: string, path: string) => Promise<unknown>;

export async function readAnalytics(ask: Ask, projectId: string): Promise<void> {
  const range = `date_start=${day(-1)}&date_end=${day(1)}`;
  await ask('listTests', 'GET', `/tests/${projectId}?${range}&order=failures&limit=1`);
  await ask('listSpecFiles', 'GET', `/spec-files/${projectId}?${range}`);
  await ask('listErrors', 'GET', `/errors/${projectId}?${range}`);
  await ask('getInsights', 'GET', `/projects/${projectId}/insights?${range}`);
  await ask('listTerms', 'GET', `/projects/${projectId}/terms/branch`);
  await ask('searchProject', 'GET', `/projects/${projectId}/search?q=cart`);
  await ask('listFlakyTests', 'GET', `/flaky/${projectId}`);
  await ask('listPullRequests', 'GET', `/projects/${projectId}/pull-requests`);
}
