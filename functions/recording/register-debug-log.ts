import * as z from 'zod';
import { endpoint } from '#shared/platform/endpoint.ts';

/** Generators of clients know no schema that allows only `null`. */
const Nothing = z.string().nullable().meta({ description: 'Always `null`' });

/**
 * The reporter asks where to upload its own debug log. The response contains no URL, so the reporter uploads nothing:
 * the log stays on the machine, and the job prints the path of the log.
 */
export const handler = endpoint({
  operationId: 'registerDebugLog',
  route: 'POST /runs/debug-logs',
  at: 'both',
  permission: 'record',
  access: { table: 'none', artifacts: 'none' },
  summary: 'Tell a reporter not to upload its debug log',
  body: z.object({ type: z.string().optional(), runId: z.string().optional() }),
  response: z.object({ uploadUrl: Nothing, readUrl: Nothing }),
  handle: () => ({ uploadUrl: null, readUrl: null }),
});
