/** §4.4.3 The request and response formats of cancellations. */
import * as z from 'zod';
import { id, sentId } from '#shared/model/names.ts';
import { Cancellation, CompletionStateName } from '#shared/results/runs/run-wire.ts';

export const CancelledRun = Cancellation.extend({ runId: z.string() }).meta({ id: 'CancelledRun' });

const githubNumber = z.union([id, z.int().nonnegative()]).transform(String);

export const CancelGithubRunBody = z.strictObject({
  githubRunId: githubNumber.meta({ description: '`GITHUB_RUN_ID` of the workflow run' }),
  githubRunAttempt: githubNumber.meta({ description: '`GITHUB_RUN_ATTEMPT`, as a number or a string' }),
  projectId: id.optional().meta({ description: 'Cancels only runs of this project' }),
  ciBuildId: id.optional().meta({ description: 'Cancels only the run of this CI build id' }),
});

export const CancelledGithubRun = Cancellation.extend({
  githubRunId: z.string(),
  githubRunAttempt: z.string(),
  runIds: z.array(z.string()).meta({ description: 'All runs that were cancelled' }),
  endedBefore: z
    .array(z.object({ runId: z.string(), completionState: CompletionStateName }))
    .meta({ description: 'Runs of this attempt that had already ended, with their state' }),
}).meta({ id: 'CancelledGithubRun' });

export const CancelOwnRunBody = z
  .object({ projectId: id, ciBuildId: sentId.nullish(), runId: id.nullish() })
  .refine(({ ciBuildId, runId }) => ciBuildId || runId, { error: 'must have `ciBuildId` or `runId`' });

export const CancelOwnRunAnswer = z.object({ runId: z.string().nullable(), cancellation: Cancellation.nullable() });
