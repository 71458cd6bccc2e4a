/** The request of `currents upload`. `config` contains the record key and is never stored. */

import * as z from 'zod';
import { describedBy } from '#shared/engine/http/described.ts';
import { keepFirst, keepValid, refuseValue } from '#shared/engine/http/lists.ts';
import { describeIssue } from '#shared/engine/http/problem.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { sentId, sentSpec, text } from '#shared/model/names.ts';
import { ArtifactType, contentType, fileName } from '#shared/recording/artifact-wire.ts';
import { describeLeftOutSpec, describeLeftOutTest } from '#shared/recording/left-out.ts';
import { RECORDING_LIMITS } from '#shared/recording/limits.ts';
import { keepLastPerTest, mergeSpecs } from '#shared/recording/one-per-spec.ts';
import { SentFramework } from '#shared/recording/run-wire.ts';
import { runAnswerMembers, runMembers } from './run-wire.ts';
import { BatchTest, WireAttempt } from './test-wire.ts';

const BatchArtifact = z.object({
  // The path is not shortened, because the client finds the upload link by it.
  path: text(MODEL_LIMITS.specCharacters).min(1),
  type: ArtifactType,
  contentType,
  name: fileName.nullish(),
});
export type BatchArtifact = z.output<typeof BatchArtifact>;

/** A file that cannot be announced gets no upload link. Its test is recorded. */
const artifacts = keepValid(RECORDING_LIMITS.artifactsPerCall, BatchArtifact)
  .nullish()
  .transform((all) => all?.valid ?? []);

/** The files of a test and of its attempts. `BatchTest` parses the same object, but without its files. */
const TestFiles = z.object({ artifacts, attempts: keepFirst(MODEL_LIMITS.attemptsPerTest, z.object({ artifacts })) });

const DescribedTest = BatchTest.extend({ artifacts, attempts: z.array(WireAttempt.extend({ artifacts })) });

const BatchTestWithFiles = z.unknown().transform((sent, context) => {
  const test = BatchTest.safeParse(sent, { error: describeIssue });
  if (!test.success) return refuseValue(context, sent, test.error);
  const files = TestFiles.safeParse(sent, { error: describeIssue });
  if (!files.success) return refuseValue(context, sent, files.error);
  return { test: test.data, files: files.data, sent };
});
describedBy.set(BatchTestWithFiles, DescribedTest);

const BatchInstance = z.object({
  groupId: sentId,
  spec: sentSpec,
  artifacts,
  results: z.object({ tests: keepValid(MODEL_LIMITS.testsPerSpec, BatchTestWithFiles) }),
});

export const UploadRunBody = z.object({
  ...runMembers,
  framework: SentFramework.nullish(),
  instances: keepValid(RECORDING_LIMITS.instancesPerCall, BatchInstance)
    .nullish()
    .transform((list) => {
      const { valid, leftOut } = list ?? { valid: [], leftOut: [] };
      const all = valid.map(({ results, ...instance }) => ({ ...instance, tests: results.tests.valid }));
      const leftOutTests = valid.flatMap(({ spec, results }) =>
        results.tests.leftOut.map((test) => describeLeftOutTest(test, spec)),
      );
      return {
        valid: mergeSpecs(all, (parts) => ({
          artifacts: parts.flatMap((part) => part.artifacts),
          tests: keepLastPerTest(parts.flatMap(({ tests }) => tests)),
        })),
        leftOut: [...leftOut.map(describeLeftOutSpec), ...leftOutTests],
      };
    }),
});
export type UploadRunBody = z.output<typeof UploadRunBody>;
export type BatchInstance = UploadRunBody['instances']['valid'][number];

export const UploadRunAnswer = z.object({
  ...runAnswerMembers,
  artifactUploadUrls: z.array(
    z.object({ artifactId: z.string(), path: z.string(), uploadUrl: z.string(), readUrl: z.string() }),
  ),
});
