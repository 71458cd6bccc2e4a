/** The request and response formats of a claim. */

import * as z from 'zod';
import { sentId, sentSpec } from '#shared/model/names.ts';
import { sentIds } from '#shared/recording/sent-ids.ts';
import { Worker } from '#shared/recording/test-wire.ts';

export const ClaimInstanceBody = z.object({
  runId: sentIds.runId,
  groupId: sentId,
  spec: sentSpec,
  machineId: sentId.nullish(),
  worker: Worker,
});

export const ClaimInstanceAnswer = z.object({ instanceId: z.string(), claimedCount: z.int().positive() });
