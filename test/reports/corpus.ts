/** Loads the tests and outcomes that an import must find in each sample report. */
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { sampleFile } from './sources.ts';

const ExpectedTest = z.object({
  group: z.string().optional(),
  spec: z.string(),
  title: z.array(z.string()),
  outcome: z.string(),
  flaky: z.boolean(),
  attempts: z.number(),
  durationMs: z.number(),
  duplicate: z.number().optional(),
});

const Expected = z.object({
  report: z.string(),
  format: z.string(),
  dialect: z.string().optional(),
  truncated: z.boolean().optional(),
  outcomes: z.record(z.string(), z.number()),
  tests: z.array(ExpectedTest),
});
export type Expected = z.infer<typeof Expected>;

const FOLDER = join(import.meta.dirname, '../samples/reports');
const names = (await readdir(FOLDER)).filter((name) => name.endsWith('.expected.json')).sort();

export const CORPUS: readonly Expected[] = await Promise.all(
  names.map(async (name) => Expected.parse(JSON.parse((await sampleFile(name)).toString()))),
);
