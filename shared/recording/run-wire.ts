/** Requests to start or join a run. Unknown properties are ignored, because new versions of clients may add some. */
import * as z from 'zod';
import { atMost, keepFirst, manyOf } from '#shared/engine/http/lists.ts';
import { replaceInvalidCharacters } from '#shared/engine/queueable.ts';
import { computeDigest } from '#shared/engine/table/keys.ts';
import { LIFECYCLE_LIMITS } from '#shared/lifecycle/limits.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { id, sentId, sentSpec, sentText } from '#shared/model/names.ts';
import { CI_JOB_VARIABLES, LAST_TRY } from '#shared/model/runs/ci-job.ts';
import { limitCommitText, SentCommit } from '#shared/model/runs/commit.ts';
import { Cancellation } from '#shared/results/run-wire.ts';
import { RECORDING_LIMITS } from './limits.ts';

const githubNumber = z
  .union([sentId, z.int().nonnegative().transform(String)])
  .optional()
  .catch(undefined);

const variable = z.string().transform(limitCommitText).optional().catch(undefined);

/** The variables that tell the job and its try. */
const JOB_VARIABLES = Object.fromEntries(CI_JOB_VARIABLES.map((name) => [name, variable]));

/** The CI job of a client, and which try of the job it is. */
export const SentJob = z.object({
  name: sentText.optional().catch(undefined),
  attempt: z.int().min(0).max(LAST_TRY).optional().catch(undefined),
  id: sentText.optional().catch(undefined),
  build: sentText.optional().catch(undefined),
});

const PROCESS_CHARACTERS = 16;

/** Adds a digest of all variables, which tells apart the processes of different jobs. */
const addProcess = (variables: unknown): unknown =>
  typeof variables === 'object' && variables !== null
    ? { ...variables, process: computeDigest(PROCESS_CHARACTERS, JSON.stringify(Object.entries(variables).toSorted())) }
    : variables;

/** Environment variables of the CI job, with their names in camelCase: `GITHUB_RUN_ID` is `githubRunId`. */
const CiParams = z
  .preprocess(
    addProcess,
    z.object({
      ...JOB_VARIABLES,
      githubRunId: githubNumber,
      githubRunAttempt: githubNumber,
      ciMergeRequestIid: variable,
      ciMergeRequestTitle: variable,
      ciOpenMergeRequests: variable,
      process: z.string().optional(),
    }),
  )
  .nullish()
  .catch(null);

const nullableText = sentText.nullish().transform((value) => value ?? null);

/** More tags are read from a list than are kept, because a list may contain duplicates. */
const SENT_TAGS = 10 * RECORDING_LIMITS.tagsPerList;

/** The tags of a request. Long tags are truncated instead of refused, so that no results are lost because of a tag. */
export const tags = keepFirst(SENT_TAGS, z.string())
  .nullish()
  .transform((all) =>
    [
      ...new Set((all ?? []).map((tag) => replaceInvalidCharacters(tag.slice(0, RECORDING_LIMITS.tagCharacters)))),
    ].slice(0, RECORDING_LIMITS.tagsPerList),
  );

const SuiteTest = z.object({ testId: sentId, spec: sentSpec });

function countMostFrequent(texts: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts.values()].reduce((most, count) => Math.max(most, count), 0);
}

export const SuiteGroup = z.object({
  name: sentId,
  tags,
  environment: nullableText,
  tests: manyOf(MODEL_LIMITS.testsPerRun, SuiteTest).refine(
    (tests) => countMostFrequent(tests.map(({ spec }) => spec)) <= MODEL_LIMITS.testsPerSpec,
    {
      error: `must have at most ${MODEL_LIMITS.testsPerSpec} tests of one spec file. Split the file`,
    },
  ),
});
export type SuiteGroup = z.output<typeof SuiteGroup>;

export const PlatformBody = z
  .object({ osName: nullableText, osVersion: nullableText, browserName: nullableText, browserVersion: nullableText })
  .nullish()
  .transform((platform) => platform ?? NO_PLATFORM);

/** The platform of a machine that does not report it, or that has not started yet. */
export const NO_PLATFORM = { osName: null, osVersion: null, browserName: null, browserVersion: null };

const optionalText = sentText.nullish().catch(null);

/** The test framework, its version, and the version of its reporter. Invalid values are ignored. */
export const FrameworkBody = z.object({ type: optionalText, version: optionalText, clientVersion: optionalText });

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
  platform: PlatformBody,
  browser: z.object({ name: nullableText, version: nullableText }).nullish(),
  commit: SentCommit,
  ci: z
    .object({
      params: CiParams,
      ciBuildId: z.object({ value: sentText.nullish() }).nullish(),
    })
    .nullish(),
  config: z.object({ currents: ReporterSettings }).nullish().catch(null),
  tags,
  coverage: z.unknown().optional(),
  fullTestSuite: atMost(LIFECYCLE_LIMITS.groupsPerRun, SuiteGroup).nullish(),
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
