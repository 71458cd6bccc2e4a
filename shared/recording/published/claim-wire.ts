/** The request and response formats of a claim. */

import * as z from 'zod';
import { sentId, sentSpec } from '#shared/model/names.ts';
import { sentIds } from '#shared/recording/sent-ids.ts';

const index = z.int().catch(-1);

export const Worker = z.object({ workerIndex: index, parallelIndex: index }).nullish().catch(null);

export const ClaimInstanceBody = z.object({
  runId: sentIds.runId,
  groupId: sentId,
  spec: sentSpec,
  machineId: sentId.nullish(),
  worker: Worker,
});

export const ClaimInstanceAnswer = z.object({ instanceId: z.string(), claimedCount: z.int().positive() });
