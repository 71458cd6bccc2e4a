/** The folder of what `npm start` runs: the template, and the bundles of its functions without their packages. */
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { readIfThere, replaceFile } from '#infra/local/host/data-directory.ts';
import { InputGraph } from './input-graph.ts';

/** What the content of the folder was made of. */
const Made = z.object({
  /** All sources and settings. */
  sources: z.string(),
  /** The programs that make bundles. */
  bundling: z.string(),
  packages: z.string(),
  template: z.string(),
  graph: InputGraph,
});
type Made = z.infer<typeof Made>;

export const Order = z.object({
  folder: z.string(),
  context: z.record(z.string(), z.string()),
  /** The digest of all sources and settings. */
  sources: z.string(),
});
/** What `make-assembly.ts` is asked for. */
export type Order = z.infer<typeof Order>;

const fileOf = (folder: string): string => join(folder, 'made.json');

export const templateOf = (folder: string): string => join(folder, 'template');
export const bundlesOf = (folder: string): string => join(folder, 'bundles');

/** What is in the folder. Nothing after an interruption, or if another version wrote it. */
export async function madeIn(folder: string): Promise<Made | undefined> {
  const text = await readIfThere(fileOf(folder));
  return text === undefined ? undefined : Made.safeParse(JSON.parse(text)).data;
}

/** Call it after the content is written, and `forget` before. So an interruption never leaves a wrong description. */
export const note = (folder: string, made: Made): Promise<void> => replaceFile(fileOf(folder), made);

export const forget = (folder: string): Promise<void> => rm(fileOf(folder), { force: true });
