/** The request and response formats of a claim. */
import * as z from 'zod';
import { id, spec } from '#shared/model/names.ts';
import { sentIds } from './sent-ids.ts';

const index = z.int().catch(-1);

export const Worker = z.object({ workerIndex: index, parallelIndex: index }).nullish();

export const ClaimInstanceBody = z.object({
  runId: sentIds.runId,
  groupId: id,
  spec,
  machineId: id.nullish(),
  worker: Worker,
});

export const ClaimInstanceAnswer = z.object({ instanceId: z.string(), claimedCount: z.int().positive() });
