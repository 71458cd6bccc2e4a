/** §4.4.3 The request and response formats of a reset. */
import * as z from 'zod';
import { atMost } from '#shared/engine/http/lists.ts';
import { sentId } from '#shared/model/names.ts';
import { LIFECYCLE_LIMITS } from './limits.ts';

export const ResetRunBody = z.strictObject({
  machineId: atMost(LIFECYCLE_LIMITS.machinesPerReset, sentId, 1),
  isBatchedOr8n: z.boolean().optional().meta({ description: 'Accepted for compatibility, without effect' }),
});

export const ResetRun = z
  .object({
    runId: z.string(),
    instanceIds: z.array(z.string()).meta({ description: 'Spec files that machines can claim again' }),
  })
  .meta({ id: 'ResetRun' });
