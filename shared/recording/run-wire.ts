/** What requests of every protocol say about a run and its suite. */
import * as z from 'zod';
import { keepFirst, manyOf } from '#shared/engine/http/lists.ts';
import { replaceInvalidCharacters } from '#shared/engine/queueable.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { sentId, sentSpec, sentText } from '#shared/model/names.ts';
import type { Framework, Platform } from '#shared/model/runs/run.ts';
import { RECORDING_LIMITS } from './limits.ts';
import { NO_PLATFORM } from './run-request.ts';

const nullableText = sentText.nullish().transform((value) => value ?? null);

/** More tags are read from a list than are kept, because a list may contain duplicates. */
const SENT_TAGS = 10 * RECORDING_LIMITS.tagsPerList;

/** The tags of a request. Long tags are truncated instead of refused, so that no results are lost because of a tag. */
export const tags = keepFirst(SENT_TAGS, z.string())
  .nullish()
  .transform((sentTags) => {
    const all = (sentTags ?? []).map((tag) => replaceInvalidCharacters(tag.slice(0, RECORDING_LIMITS.tagCharacters)));
    return [...new Set(all)].slice(0, RECORDING_LIMITS.tagsPerList);
  });

export const SuiteTest = z.object({ testId: sentId, spec: sentSpec });

const countMostFrequent = (texts: readonly string[]): number =>
  [...Map.groupBy(texts, (text) => text).values()].reduce((most, { length }) => Math.max(most, length), 0);

export const SentSuiteGroup = z.object({
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

export const SentPlatform = z
  .object({ osName: nullableText, osVersion: nullableText, browserName: nullableText, browserVersion: nullableText })
  .nullish()
  .transform((platform) => platform ?? NO_PLATFORM);

export const SentBrowser = z.object({ name: nullableText, version: nullableText }).nullish();

/** The browser that a machine names by itself is more precise than the one in its platform. */
export const mergeBrowser = (platform: Platform, browser: z.output<typeof SentBrowser>): Platform => ({
  osName: platform.osName || null,
  osVersion: platform.osVersion || null,
  browserName: browser?.name || platform.browserName || null,
  browserVersion: browser?.version || platform.browserVersion || null,
});

const optionalText = sentText.nullish().catch(null);

/** The test framework, its version, and the version of its reporter. Invalid values are ignored. */
export const SentFramework = z.object({ type: optionalText, version: optionalText, clientVersion: optionalText });

export const completeFramework = (
  framework: z.output<typeof SentFramework> | null | undefined,
  clientVersion?: string,
): Framework => ({
  type: framework?.type ?? 'unknown',
  version: framework?.version ?? null,
  clientVersion: framework?.clientVersion ?? clientVersion ?? null,
});
