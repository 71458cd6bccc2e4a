import * as z from 'zod';
import { endpoint } from '#shared/platform/endpoint.ts';

/**
 * The reporter offers its own log to its vendor. Without an address it uploads nothing. The log stays on the machine, whose
 * job prints its path.
 */
export const handler = endpoint({
  operationId: 'registerDebugLog',
  route: 'POST /runs/debug-logs',
  at: 'both',
  permission: 'record',
  access: { table: 'none', artifacts: 'none' },
  summary: 'Tell a reporter that its own log is not wanted',
  body: z.object({ type: z.string().optional(), runId: z.string().optional() }),
  response: z.object({ uploadUrl: z.null(), readUrl: z.null() }),
  handle: () => ({ uploadUrl: null, readUrl: null }),
});
