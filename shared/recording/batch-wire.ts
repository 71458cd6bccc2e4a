/** What `currents upload` sends: a run, its suite, and instances that are over. Its `config` holds the record key and is never kept. */
import * as z from 'zod';
import { problemOf } from '../http/problem.ts';
import { LIMITS } from '../limits.ts';
import { id, spec, text } from '../resources/names.ts';
import { ArtifactType, contentType } from './register-artifact.ts';
import { runAnswerMembers, runMembers } from './run-wire.ts';
import { BatchTest } from './test-wire.ts';

const BatchArtifact = z.object({
  path: text(LIMITS.specCharacters).min(1),
  type: ArtifactType,
  contentType,
  name: text(LIMITS.fileNameCharacters).nullish(),
});
export type BatchArtifact = z.output<typeof BatchArtifact>;

const artifacts = z
  .array(BatchArtifact)
  .max(LIMITS.artifactsPerCall)
  .nullish()
  .transform((all) => all ?? []);

/** Files hang on an instance, a test or an attempt. The test itself and its files are read from the same object. */
const TestFiles = z.object({ artifacts, attempts: z.array(z.object({ artifacts })) });

const BatchTestWithFiles = z.unknown().transform((sent, context) => {
  const test = BatchTest.safeParse(sent, { error: problemOf });
  const files = TestFiles.safeParse(sent, { error: problemOf });
  if (test.success && files.success) return { test: test.data, files: files.data, sent };
  for (const { path, message } of (test.error ?? files.error)?.issues ?? []) {
    context.addIssue({ code: 'custom', path: [...path], message, input: sent });
  }
  return z.NEVER;
});

export const BatchInstance = z.object({
  groupId: id,
  spec,
  artifacts,
  results: z.object({ tests: z.array(BatchTestWithFiles).max(LIMITS.testsPerSpec) }),
});
export type BatchInstance = z.output<typeof BatchInstance>;

/** A spec file may stand in a call twice, and a test in a spec file: the rows they become are one. */
function onePerSpec(sent: readonly BatchInstance[]): BatchInstance[] {
  const merged = new Map<string, BatchInstance>();
  for (const instance of sent) {
    const name = JSON.stringify([instance.groupId, instance.spec]);
    const { artifacts = [], results } = merged.get(name) ?? {};
    const all = [...(results?.tests ?? []), ...instance.results.tests];
    const tests = [...new Map(all.map((one) => [one.test.testId, one])).values()];
    merged.set(name, { ...instance, artifacts: [...artifacts, ...instance.artifacts], results: { tests } });
  }
  return [...merged.values()];
}

const optionalText = text(LIMITS.idCharacters).nullish().catch(null);

export const UploadRunBody = z.object({
  ...runMembers,
  framework: z.object({ type: optionalText, version: optionalText, clientVersion: optionalText }).nullish(),
  instances: z
    .array(BatchInstance)
    .nullish()
    .transform((all) => onePerSpec(all ?? [])),
});
export type UploadRunBody = z.output<typeof UploadRunBody>;

export const UploadRunAnswer = z.object({
  ...runAnswerMembers,
  artifactUploadUrls: z.array(
    z.object({ artifactId: z.string(), path: z.string(), uploadUrl: z.string(), readUrl: z.string() }),
  ),
});
