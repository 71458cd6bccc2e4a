/**
 * The request and response formats of `pwc-p`: sessions and their tasks. Unknown members are ignored, because new
 * versions of clients may add some.
 */
import * as z from 'zod';
import { atMost } from '#shared/engine/http/lists.ts';
import { LIFECYCLE_LIMITS } from '#shared/lifecycle/limits.ts';
import { id, sentId } from '#shared/model/names.ts';
import { SentCommit } from '#shared/model/runs/commit.ts';
import { SentCi } from '#shared/recording/ci-wire.ts';
import { SentSuiteGroup } from '#shared/recording/run-wire.ts';
import { sentIds } from '#shared/recording/sent-ids.ts';

const count = z.int().positive();
/** Settings that map each group to a number. Any other value is ignored. */
const counts = z.record(z.string(), z.unknown()).nullish().catch(null);

export const StartSessionBody = z.object({
  projectId: id,
  ciBuildId: sentId,
  machineId: sentId.nullish(),
  commit: SentCommit,
  ci: SentCi,
  suite: atMost(LIFECYCLE_LIMITS.groupsPerRun, SentSuiteGroup, 1),
  globalWorkers: count.nullish().catch(null),
  globalBatchSize: z
    .union([z.literal('auto'), count])
    .nullish()
    .catch(null),
  projectWorkers: counts,
  projectBatchSizes: counts,
});
export type StartSessionBody = z.output<typeof StartSessionBody>;

export const SessionAnswer = z.object({ id: z.string(), runId: z.string(), machineId: z.string() });

export const TakeTaskBody = z.object({ machineId: sentId, runId: sentIds.runId });

const total = z.int().nonnegative();

export const TakeTaskAnswer = z.object({
  run: z.object({
    progress: z.object({
      specs: z.object({ overall: total, completed: total }),
      tests: z.object({ overall: total, passes: total, failures: total, ignored: total, flaky: total }),
    }),
  }),
  batch: z
    .object({
      groupId: z.string(),
      tasks: z.array(
        z.object({
          spec: z.string(),
          score: z.number().meta({ description: 'Expected duration in milliseconds' }),
          workerIndex: z.int(),
          batchSize: z.int(),
        }),
      ),
    })
    .nullable()
    .meta({ description: 'The spec files to run now. null if none are left' }),
});
export type TakeTaskAnswer = z.input<typeof TakeTaskAnswer>;

export const ResetMachinesBody = z.object({
  isBatchedOr8n: z.boolean().optional().meta({ description: 'Accepted for compatibility, without effect' }),
  machineId: z.union([sentId.transform((one) => [one]), atMost(LIFECYCLE_LIMITS.machinesPerReset, sentId, 1)]),
  runId: sentIds.runId,
});
