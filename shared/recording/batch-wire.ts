/**
 * The request of `currents upload`: a run, its suite and finished instances. `config` contains the record key and is
 * never stored.
 */

import * as z from 'zod';
import { describedBy } from '#shared/engine/http/described.ts';
import { atMost, firstOf, manyOf, refuseValue } from '#shared/engine/http/lists.ts';
import { problemOfIssue } from '#shared/engine/http/problem.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { id, spec, text } from '#shared/model/names.ts';
import { ArtifactType, contentType } from './artifact-wire.ts';
import { RECORDING_LIMITS } from './limits.ts';
import { onePerSpec, onePerTest } from './one-per-spec.ts';
import { FrameworkBody, runAnswerMembers, runMembers } from './run-wire.ts';
import { BatchTest, WireAttempt } from './test-wire.ts';

const BatchArtifact = z.object({
  path: text(MODEL_LIMITS.specCharacters).min(1),
  type: ArtifactType,
  contentType,
  name: text(RECORDING_LIMITS.fileNameCharacters).nullish(),
});
export type BatchArtifact = z.output<typeof BatchArtifact>;

const artifacts = atMost(RECORDING_LIMITS.artifactsPerCall, BatchArtifact)
  .nullish()
  .transform((all) => all ?? []);

/** The files of a test and of its attempts. `BatchTest` parses the same object, but without its files. */
const TestFiles = z.object({ artifacts, attempts: firstOf(MODEL_LIMITS.attemptsPerTest, z.object({ artifacts })) });

const DescribedTest = BatchTest.extend({ artifacts, attempts: z.array(WireAttempt.extend({ artifacts })) });

const BatchTestWithFiles = z.unknown().transform((sent, context) => {
  const test = BatchTest.safeParse(sent, { error: problemOfIssue });
  const files = TestFiles.safeParse(sent, { error: problemOfIssue });
  if (test.success && files.success) return { test: test.data, files: files.data, sent };
  const error = test.error ?? files.error;
  return error ? refuseValue(context, sent, error) : z.NEVER;
});
describedBy.set(BatchTestWithFiles, DescribedTest);

export const BatchInstance = z.object({
  groupId: id,
  spec,
  artifacts,
  results: z.object({ tests: manyOf(MODEL_LIMITS.testsPerSpec, BatchTestWithFiles) }),
});
export type BatchInstance = z.output<typeof BatchInstance>;

export const UploadRunBody = z.object({
  ...runMembers,
  framework: FrameworkBody.nullish(),
  instances: atMost(RECORDING_LIMITS.instancesPerCall, BatchInstance)
    .nullish()
    .transform((all) =>
      onePerSpec(all ?? [], (parts) => ({
        artifacts: parts.flatMap((part) => part.artifacts),
        results: { tests: onePerTest(parts.flatMap(({ results }) => results.tests)) },
      })),
    ),
});
export type UploadRunBody = z.output<typeof UploadRunBody>;

export const UploadRunAnswer = z.object({
  ...runAnswerMembers,
  artifactUploadUrls: z.array(
    z.object({ artifactId: z.string(), path: z.string(), uploadUrl: z.string(), readUrl: z.string() }),
  ),
});
