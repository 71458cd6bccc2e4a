/** What reporters send to start or join a run: the members that are kept. Unknown ones are ignored, since clients add them at will. */
import * as z from 'zod';
import { LIMITS } from '../limits.ts';
import { SentCommit } from '../resources/commit.ts';
import { id, spec, text } from '../resources/names.ts';
import { Cancellation } from '../results/run-feed.ts';
import { GithubParams } from './github-build.ts';

const nullableText = text(LIMITS.idCharacters)
  .nullish()
  .transform((value) => value ?? null);

/** Tags are cut, never refused: a long one must not cost a team its results. */
export const tags = z
  .array(z.string())
  .nullish()
  .transform((all) =>
    [...new Set((all ?? []).map((tag) => tag.slice(0, LIMITS.tagCharacters).toWellFormed()))].slice(
      0,
      LIMITS.tagsPerList,
    ),
  );

const SuiteTest = z.object({ testId: id, spec });

/** How often the most frequent text occurs. */
function mostOf(texts: readonly string[]): number {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return [...counts.values()].reduce((most, count) => Math.max(most, count), 0);
}

export const SuiteGroup = z.object({
  name: id,
  tags,
  environment: nullableText,
  tests: z
    .array(SuiteTest)
    .max(LIMITS.testsPerRun)
    .refine((tests) => mostOf(tests.map(({ spec }) => spec)) <= LIMITS.testsPerSpec, {
      error: `must have at most ${LIMITS.testsPerSpec} tests of one spec file. Split the file`,
    }),
});
export type SuiteGroup = z.output<typeof SuiteGroup>;

const PlatformBody = z
  .object({ osName: nullableText, osVersion: nullableText, browserName: nullableText, browserVersion: nullableText })
  .nullish()
  .transform((platform) => platform ?? NO_PLATFORM);

const NO_PLATFORM = { osName: null, osVersion: null, browserName: null, browserVersion: null };

/** So many failed tests cancel the run; anything but a count is no such wish. */
const ReporterSettings = z
  .object({ autoCancelAfterFailures: z.int().positive().optional().catch(undefined) })
  .nullish()
  .catch(null);

/** Parts that the streaming and the batch protocol share. */
export const runMembers = {
  projectId: id,
  ciBuildId: text(LIMITS.idCharacters).nullish(),
  group: id,
  machineId: id.nullish(),
  platform: PlatformBody,
  browser: z.object({ name: nullableText, version: nullableText }).nullish(),
  commit: SentCommit,
  ci: z
    .object({ params: GithubParams, ciBuildId: z.object({ value: text(LIMITS.idCharacters).nullish() }).nullish() })
    .nullish(),
  config: z.object({ currents: ReporterSettings }).nullish().catch(null),
  tags,
  coverage: z.unknown().optional(),
  fullTestSuite: z.array(SuiteGroup).max(LIMITS.groupsPerRun).nullish(),
};

export const CreateRunBody = z.object(runMembers);
export type CreateRunBody = z.output<typeof CreateRunBody>;

/** What reporters are told of the run they record into. */
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
