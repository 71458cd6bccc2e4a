/** `story.json`: the progress of recording the story. Without this file, no story is recorded. */

import { join } from 'node:path';
import * as z from 'zod';
import { readData, replaceFile } from '#infra/local/host/json-files.ts';

const StoryFile = z.object({
  organizationId: z.string(),
  adminAccountId: z.string(),
  /** Time of the first start, in epoch milliseconds. All times of the story derive from it. */
  startedAt: z.number(),
  /** The demo of an earlier release has two projects, and none gets runs of the other ones. */
  projects: z.object({
    shop: z.string(),
    warehouse: z.string(),
    wholesale: z.string().optional(),
    accounting: z.string().optional(),
    /** Created by the first start with `--huge`. */
    monorepo: z.string().optional(),
  }),
  /** The CI build ids of the recorded runs. */
  recorded: z.array(z.string()),
});
export type StoryFile = z.infer<typeof StoryFile>;

const getStoryPath = (dataDirectory: string): string => join(dataDirectory, 'story.json');

export const writeStoryFile = (dataDirectory: string, story: StoryFile): Promise<void> =>
  replaceFile(getStoryPath(dataDirectory), story);

export const readStoryFile = (dataDirectory: string): Promise<StoryFile | undefined> =>
  readData(
    getStoryPath(dataDirectory),
    StoryFile,
    'Delete it and start again: the rest of the story is then not recorded',
  );
