/** The folder of `npm start`: the template, and the function bundles without their packages. */

import { join } from 'node:path';
import * as z from 'zod';
import { parseData, readIfThere, replaceFile } from '#infra/local/host/json-files.ts';

/** Beside a bundle: the digest of its inputs. While `sources` matches the present sources, such a bundle is current. */
export const INPUTS_FILE = 'inputs';

/** Digests of the inputs from which the folder was built. */
const AssemblyRecord = z.object({
  /** Digest of all sources and settings. */
  sources: z.string(),
  template: z.string(),
  packages: z.string(),
  /** Whether the bundles of all functions are built. */
  isComplete: z.boolean(),
});
type AssemblyRecord = z.infer<typeof AssemblyRecord>;

export const Order = z.object({
  folder: z.string(),
  context: z.record(z.string(), z.string()),
  sources: z.string(),
  /** Whether a bundle is built again when one of its files changes. */
  watch: z.boolean(),
  /** Whether functions call the table without the AWS SDK, which only the embedded engine accepts. */
  plainTable: z.boolean(),
});
/** The input of `make-assembly.ts`. */
export type Order = z.infer<typeof Order>;

const getRecordPath = (folder: string): string => join(folder, 'made.json');

export const getTemplatePath = (folder: string): string => join(folder, 'template');
export const getBundlesPath = (folder: string): string => join(folder, 'bundles');

/** `undefined` before the first build, after an interrupted one, or if the file is damaged or of another version. */
export const readAssemblyRecord = async (folder: string): Promise<AssemblyRecord | undefined> =>
  parseData(AssemblyRecord, await readIfThere(getRecordPath(folder)));

export const storeAssemblyRecord = (folder: string, record: AssemblyRecord): Promise<void> =>
  replaceFile(getRecordPath(folder), record);
