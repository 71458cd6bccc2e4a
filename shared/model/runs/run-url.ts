/** The address of the page of a run, for reporters, webhooks and notifications. */
export const runUrlOf = (
  origin: string,
  { organizationId, projectId, runId }: { organizationId: string; projectId: string; runId: string },
): string => `${origin}/${organizationId}/${projectId}/runs/${runId}`;

/** The address of the page of a test in a run. */
export const testUrlOf = (
  origin: string,
  { organizationId, projectId }: { organizationId: string; projectId: string },
  { instanceId, testId }: { instanceId: string; testId: string },
): string =>
  `${origin}/${[organizationId, projectId, 'instances', instanceId].map(encodeURIComponent).join('/')}/test?test_id=${encodeURIComponent(testId)}`;

/** The address of the page with the history of a test. */
export const historyUrlOf = (
  origin: string,
  { organizationId, projectId }: { organizationId: string; projectId: string },
  signature: string,
): string => `${origin}/${organizationId}/${projectId}/tests/${encodeURIComponent(signature)}`;
