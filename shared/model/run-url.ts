/** The URL of a run, for reporters and webhooks. */
export const runUrlOf = (origin: string, runId: string): string => `${origin}/v1/runs/${runId}`;
