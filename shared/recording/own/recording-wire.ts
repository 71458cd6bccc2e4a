/** The requests and responses of our own reporters: start, batches, files and end. */

import * as z from 'zod';
import { cutText } from '#shared/engine/cut-text.ts';
import { describedBy } from '#shared/engine/http/described.ts';
import { atMost, keepFirst, keepValid, refuseValue } from '#shared/engine/http/lists.ts';
import { describeIssue } from '#shared/engine/http/problem.ts';
import { replaceInvalidCharacters } from '#shared/engine/queueable.ts';
import { LIFECYCLE_LIMITS } from '#shared/lifecycle/limits.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { sentId, sentSpec, sentText } from '#shared/model/names.ts';
import { SentCommit } from '#shared/model/runs/commit.ts';
import { ArtifactType, contentType, fileName } from '#shared/recording/artifact-wire.ts';
import { LEG, SentJob } from '#shared/recording/job-wire.ts';
import { countLeftOutTests, describeLeftOutSpec, describeLeftOutTest } from '#shared/recording/left-out.ts';
import { RECORDING_LIMITS } from '#shared/recording/limits.ts';
import { keepLastPerTest, mergeSpecs } from '#shared/recording/one-per-spec.ts';
import { SentBrowser, SentFramework, SentPlatform, SentSuiteGroup, tags } from '#shared/recording/run-wire.ts';
import { attemptMembers, makeFinishedTest, Outcome, toAttempts, Worker } from '#shared/recording/test-wire.ts';
import { RunProblem } from '#shared/results/runs/problem-wire.ts';
import { Cancellation } from '#shared/results/runs/run-wire.ts';

const { batchesPerMachine, errorsPerMachine, filesPerCall, machineErrorCharacters, machinesPerRun } = RECORDING_LIMITS;

const machineId = sentId.meta({
  description:
    'An id that the client chooses, such as a random one. Results of machines with different ids never replace each other. A restarted client with the same id sends another `process`',
});
const machineProcess = sentId
  .nullish()
  .transform((process) => process ?? undefined)
  .meta({
    description:
      'Another value for each process of a machine that keeps its id when it restarts. Batches are numbered from 0 for each process',
  });
const machines = z
  .int()
  .min(1)
  .max(machinesPerRun)
  .default(1)
  .meta({ description: 'The number of machines that record this build. The run ends after all of them have ended' });
const keepOpen = z
  .boolean()
  .default(false)
  .meta({ description: 'Keep the run open until an import or another machine of the build completes it' });

const pullRequestId = z.string().regex(/^\d{1,12}$/, 'must be a number of at most 12 digits');

const RecordedGroup = SentSuiteGroup.extend({ platform: SentPlatform, browser: SentBrowser });

export const StartRecordingBody = z.object({
  machineId,
  process: machineProcess,
  ciBuildId: sentText.nullish().meta({ description: 'All machines with the same id record the same run' }),
  framework: SentFramework,
  commit: SentCommit,
  pullRequest: z.object({ id: pullRequestId, title: sentText.nullish().catch(null) }).nullish(),
  github: z
    .object({ runId: sentId, attempt: sentId.default('1') })
    .nullish()
    .catch(null)
    .meta({ description: 'The run and attempt in GitHub Actions. `PUT /runs/cancel-ci/github` finds the run by them' }),
  job: SentJob.nullish()
    .catch(null)
    .meta({ description: 'The CI job, and which try of the job it is. A later try of a build is a run of its own' }),
  try: z
    .int()
    .min(1)
    .max(RECORDING_LIMITS.lastTry)
    .nullish()
    .catch(null)
    .meta({ description: 'The number of the try, if a job repeats its tests itself' }),
  tags,
  cancelAfterFailures: z.int().positive().nullish().catch(null).meta({
    description: 'Cancels the run after this many failed tests. A value that is no positive integer is ignored',
  }),
  specFiles: z.int().min(1).max(MODEL_LIMITS.testsPerRun).nullish().catch(null).meta({
    description:
      'The number of spec files that the machine will run, if it knows them but not their tests. Pages show how many of them are complete',
  }),
  stopsIfCancelled: z.boolean().nullish().catch(null).meta({
    description: 'Whether the machine ends its tests when an answer says that the run was cancelled',
  }),
  part: sentId.nullish().catch(null).meta({
    description:
      'Which part of which suite the machine runs, such as a hash of all tests with the number of a shard. `POST /projects/{projectId}/last-failed` compares it',
  }),
  leg: sentId.nullish().catch(null).meta({ description: LEG }),
  groups: atMost(LIFECYCLE_LIMITS.groupsPerRun, RecordedGroup, 1).meta({
    description:
      'The groups that the machine records, such as the projects of Playwright, with all tests that it will run',
  }),
});
export type StartRecordingBody = z.output<typeof StartRecordingBody>;

export const StartedRecording = z.object({
  runId: z.string(),
  runUrl: z.string(),
  ciBuildId: z.string(),
  isNewRun: z.boolean(),
  cancellation: Cancellation.nullable(),
  limits: z.object({
    batchBytes: z.int().meta({ description: 'Keep the JSON of each batch below this size' }),
    filesPerCall: z.int(),
    fileBytes: z.int().meta({ description: 'Larger files are left out' }),
  }),
});

const sequence = z
  .int()
  .min(0)
  .max(batchesPerMachine - 1)
  .meta({ description: 'The number of the batch, counted from 0 for each machine' });

/** Not parsed here: `parseEvidence` reads it from the raw message, and only if the test failed or was flaky. */
const evidence = z.array(z.unknown()).nullish().catch(null);

const RecordedAttempt = z.object({
  ...attemptMembers,
  state: Outcome,
  steps: evidence,
  stdout: evidence,
  stderr: evidence,
});

/** A finished test, as our own reporters send it. */
const RecordedTest = makeFinishedTest(
  keepFirst(MODEL_LIMITS.attemptsPerTest, RecordedAttempt).transform((all) => toAttempts(all)),
);

/** A test with its raw message. Steps and output are read from the message only if the test failed or was flaky. */
const SentTest = z.unknown().transform((sent, context) => {
  const result = RecordedTest.safeParse(sent, { error: describeIssue });
  return result.success ? { test: result.data, sent } : refuseValue(context, sent, result.error);
});
describedBy.set(SentTest, RecordedTest);

const RecordedInstance = z.object({
  groupId: sentId,
  spec: sentSpec,
  worker: Worker,
  tests: keepValid(MODEL_LIMITS.testsPerSpec, SentTest),
  hasMore: z.boolean().nullish().catch(null).meta({
    description:
      'Whether a later batch has more of the spec file. While its run is in progress, the spec file then counts as running. The last batch may have no tests of it',
  }),
});

export const BatchBody = z.object({
  machineId,
  process: machineProcess,
  sequence,
  instances: keepValid(RECORDING_LIMITS.instancesPerCall, RecordedInstance)
    .transform(({ valid, leftOut }) => {
      const all = valid.map(({ tests, ...instance }) => ({ ...instance, tests: tests.valid }));
      const leftOutTests = valid.flatMap(({ tests, spec }) =>
        tests.leftOut.map((test) => describeLeftOutTest(test, spec)),
      );
      return {
        valid: mergeSpecs(all, (parts) => ({ tests: keepLastPerTest(parts.flatMap(({ tests }) => tests)) })),
        leftOut: [...leftOut.map(describeLeftOutSpec), ...leftOutTests],
        leftOutTests: leftOut.reduce((sum, spec) => sum + countLeftOutTests(spec), leftOutTests.length),
      };
    })
    .meta({ description: 'Finished tests by group and spec file. A spec file may be spread over several batches' }),
});
export type BatchBody = z.output<typeof BatchBody>;

const missing = z
  .array(z.int())
  .meta({ description: 'Sequence numbers that have not been received. Send these batches again' });

export const StoredBatch = z.object({
  sequence: z.int().meta({ description: 'The number of the stored batch' }),
  missing,
  cancellation: Cancellation.nullable(),
  leftOut: z.array(z.string()).optional().meta({
    description: 'Invalid tests that were not recorded, and what is wrong with them. The run cannot pass without them',
  }),
  leftOutTests: z
    .int()
    .optional()
    .meta({ description: 'The number of these tests. `leftOut` names only the first ones' }),
});

const RecordedFile = z.object({
  groupId: sentId,
  spec: sentSpec,
  testId: sentId.nullish(),
  // A file of an attempt that is not stored belongs to the test.
  attempt: z.int().nonnegative().max(MODEL_LIMITS.attemptsPerTest).nullish().catch(null),
  type: ArtifactType,
  name: fileName,
  fileName: fileName.nullish(),
  contentType,
  bytes: z.int().nonnegative(),
  sha256: z
    .string()
    .length(64)
    .regex(/^[0-9a-f]{64}$/, 'must be 64 hex digits'),
});
export type RecordedFile = z.output<typeof RecordedFile>;

export const FilesBody = z.object({ machineId, process: machineProcess, files: atMost(filesPerCall, RecordedFile, 1) });
export type FilesBody = z.output<typeof FilesBody>;

export const FileLinks = z.object({
  files: z
    .array(
      z.object({
        uploadUrl: z.string().nullable().meta({ description: 'PUT the file here within one hour' }),
        reason: z
          .enum(['stored', 'tooLarge', 'unknownSpec', 'expired', 'storageFull'])
          .nullable()
          .meta({ description: 'Why the file gets no link' }),
      }),
    )
    .meta({ description: 'One entry per file, in the order of the request' }),
});

export const EndMachineBody = z.object({
  machineId,
  process: machineProcess,
  machines,
  keepOpen,
  batches: z.int().min(0).max(batchesPerMachine).meta({ description: 'The number of batches that the machine sent' }),
  failed: z
    .boolean()
    .default(false)
    .meta({ description: 'Whether the job failed for a reason other than its tests. The run then cannot pass' }),
  errors: keepFirst(
    errorsPerMachine,
    z.string().overwrite((error) => cutText(replaceInvalidCharacters(error), machineErrorCharacters)),
  )
    .default([])
    .meta({ description: 'Errors outside tests, such as a spec file that cannot be loaded' }),
  toRepeat: z
    .array(z.string().regex(/^[0-9a-f]{16}$/))
    .max(RECORDING_LIMITS.testsToRepeat)
    .nullish()
    .catch(null)
    .meta({ description: 'The keys of the tests that failed or did not run, for a later try. `null` if too many' }),
});
export type EndMachineBody = z.output<typeof EndMachineBody>;

export const EndedMachine = z.object({
  missing,
  runHasEnded: z.boolean(),
  waitsForMachines: z.int().meta({ description: 'Machines that have not ended yet. 0 if batches are missing' }),
  problems: z
    .array(RunProblem)
    .optional()
    .meta({ description: 'What is known to be wrong with the run other than its tests' }),
});
