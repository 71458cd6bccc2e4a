/** The request and the response of shards that balance their tests. */
import * as z from 'zod';
import { atMost } from '#shared/engine/http/lists.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { sentId, sentSpec, sentText } from '#shared/model/names.ts';
import { SentJob } from '#shared/recording/job-wire.ts';
import { RECORDING_LIMITS } from '#shared/recording/limits.ts';
import { ORCHESTRATION_LIMITS } from './limits.ts';

const { shardsPerPlan, unitsPerPlan } = ORCHESTRATION_LIMITS;

const PlannedFile = z.object({
  groupId: sentId,
  spec: sentSpec,
  units: z.array(z.int().min(1).max(MODEL_LIMITS.testsPerSpec)).min(1).max(MODEL_LIMITS.testsPerSpec).meta({
    description:
      'The number of tests of each part of the file that one machine has to run as a whole. A file that cannot be split has one part',
  }),
});

export const PlanShardsBody = z.object({
  ciBuildId: sentText.meta({ description: 'The id of the CI build, as recordings send it' }),
  job: SentJob.nullish().catch(null),
  try: z.int().min(1).max(RECORDING_LIMITS.lastTry).nullish().catch(null),
  lane: sentText.default('').meta({
    description: 'Tells the suites of a build apart, such as the group of a job. Shards of one suite have the same',
  }),
  suite: z
    .string()
    .regex(/^[0-9a-f]{16}$/, 'must be 16 hex digits')
    .meta({ description: 'A hash of all tests. Shards with other tests than the first one are refused with 409' }),
  total: z.int().min(1).max(shardsPerPlan).meta({ description: 'The number of shards' }),
  files: atMost(unitsPerPlan, PlannedFile, 1),
});
export type PlanShardsBody = z.output<typeof PlanShardsBody>;

export const PlannedShards = z.object({
  shards: z.array(z.array(z.int())).meta({
    description: 'The shard of each unit, counted from 1, in the order of the request',
  }),
  plannedMs: z.array(z.int()).meta({ description: 'The expected duration of each shard, in milliseconds' }),
});
