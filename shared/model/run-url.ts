/** The address of a run's page, for reporters and webhooks. */
export const runUrlOf = (
  origin: string,
  { organizationId, projectId, runId }: { organizationId: string; projectId: string; runId: string },
): string => `${origin}/${organizationId}/${projectId}/runs/${runId}`;
