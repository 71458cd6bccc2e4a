/** The address of the page of a run, for reporters, webhooks and notifications. */
export const getRunUrl = (
  origin: string,
  { organizationId, projectId, runId }: { organizationId: string; projectId: string; runId: string },
): string => `${origin}/${organizationId}/${projectId}/runs/${runId}`;

export const getTestUrl = (
  origin: string,
  { organizationId, projectId }: { organizationId: string; projectId: string },
  { instanceId, testId }: { instanceId: string; testId: string },
): string =>
  `${origin}/${[organizationId, projectId, 'instances', instanceId].map(encodeURIComponent).join('/')}/test?test_id=${encodeURIComponent(testId)}`;

export const getHistoryUrl = (
  origin: string,
  { organizationId, projectId }: { organizationId: string; projectId: string },
  signature: string,
): string => `${origin}/${organizationId}/${projectId}/tests/${encodeURIComponent(signature)}`;
