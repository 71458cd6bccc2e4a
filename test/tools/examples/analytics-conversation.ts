/** Reads what analytics tell about the recorded runs. */

type Ask = (operationId: string, method: string, path: string) => Promise<unknown>;

export async function readAnalytics(ask: Ask, projectId: string): Promise<void> {
  await ask('listTerms', 'GET', `/projects/${projectId}/terms/branch`);
  await ask('listPullRequests', 'GET', `/projects/${projectId}/pull-requests`);
}
