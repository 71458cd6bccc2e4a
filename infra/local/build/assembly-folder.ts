/**
 * The folder from which `npm start` runs the service: the template, and the function bundles without their packages.
 */
import { join } from 'node:path';
import * as z from 'zod';
import { parsedJson, readIfThere, replaceFile } from '#infra/local/host/data-directory.ts';

/**
 * The file beside a bundle with the digest of the inputs from which the bundle was built. While `sources` is the digest
 * of the present sources, a bundle with this file is current.
 */
export const INPUTS_FILE = 'inputs';

/** Digests of the inputs from which the folder was built. */
const Made = z.object({
  /** Digest of all sources and settings. */
  sources: z.string(),
  template: z.string(),
  packages: z.string(),
  /** Whether the bundles of all functions are built. */
  isComplete: z.boolean(),
});
type Made = z.infer<typeof Made>;

export const Order = z.object({
  folder: z.string(),
  context: z.record(z.string(), z.string()),
  /** The digest of all sources and settings. */
  sources: z.string(),
  /** Whether a bundle is built again when one of its files changes. */
  watch: z.boolean(),
});
/** The input of `make-assembly.ts`. */
export type Order = z.infer<typeof Order>;

const fileOf = (folder: string): string => join(folder, 'made.json');

export const templateOf = (folder: string): string => join(folder, 'template');
export const bundlesOf = (folder: string): string => join(folder, 'bundles');

/**
 * Reads the description of the folder. `undefined` before the first build, after an interrupted one, if the file is
 * damaged, or if another version of Rundown wrote it.
 */
export const readMade = async (folder: string): Promise<Made | undefined> =>
  parsedJson(Made, await readIfThere(fileOf(folder)));

/** Writes the description of the folder. */
export const note = (folder: string, made: Made): Promise<void> => replaceFile(fileOf(folder), made);
