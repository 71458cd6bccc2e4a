/** Requests to start or join a run. Unknown properties are ignored, because new versions of clients may add some. */
import * as z from 'zod';
import { atMost, manyOf } from '#shared/engine/http/lists.ts';
import { LIFECYCLE_LIMITS } from '#shared/lifecycle/limits.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { id, sentId, sentText } from '#shared/model/names.ts';
import { SentCommit } from '#shared/model/runs/commit.ts';
import { SentCi } from '#shared/recording/ci-wire.ts';
import { SentBrowser, SentPlatform, SentSuiteGroup, SuiteTest, tags } from '#shared/recording/run-wire.ts';
import { Cancellation } from '#shared/results/runs/run-wire.ts';

/** `autoCancelAfterFailures` is the number of failed tests after which the run is cancelled. */
const ReporterSettings = z
  .object({ autoCancelAfterFailures: z.int().positive().optional().catch(undefined) })
  .nullish()
  .catch(null);

/** The properties of requests that the streaming and the batch protocol have in common. */
export const runMembers = {
  projectId: id,
  ciBuildId: sentText.nullish(),
  group: sentId,
  machineId: sentId.nullish(),
  platform: SentPlatform,
  browser: SentBrowser,
  commit: SentCommit,
  ci: SentCi,
  config: z.object({ currents: ReporterSettings }).nullish().catch(null),
  tags,
  coverage: z.unknown().optional(),
  fullTestSuite: atMost(LIFECYCLE_LIMITS.groupsPerRun, SentSuiteGroup).nullish(),
};

export const CreateRunBody = z.object(runMembers);
export type CreateRunBody = z.output<typeof CreateRunBody>;

const testsOfProcess = manyOf(MODEL_LIMITS.testsPerRun, SuiteTest).nullish().catch(null).meta({
  description: 'The tests of the group that this process runs, while `fullTestSuite` has those of all processes',
});

export const StreamRunBody = CreateRunBody.extend({ tests: testsOfProcess });
export type StreamRunBody = z.output<typeof StreamRunBody>;

/** The properties of responses that the streaming and the batch protocol have in common. */
export const runAnswerMembers = {
  runId: z.string(),
  groupId: z.string(),
  machineId: z.string(),
  ciBuildId: z.string(),
  runUrl: z.string(),
  dashboardUrl: z.string(),
  isNewRun: z.boolean(),
  cancellation: Cancellation.nullable(),
  warnings: z.array(z.object({ message: z.string() })),
};
export const CreateRunAnswer = z.object(runAnswerMembers);
