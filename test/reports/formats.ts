/** The sample reports in the own formats of test tools, and what an import must find in each. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';

const ExpectedTest = z.object({
  group: z.string().optional(),
  spec: z.string(),
  title: z.array(z.string()),
  outcome: z.string(),
  flaky: z.boolean(),
  attempts: z.number(),
  durationMs: z.number(),
  error: z.string().optional(),
  steps: z.number().optional(),
  tags: z.array(z.string()).optional(),
  raw: z.string().optional(),
});

const ExpectedFile = z.object({
  report: z.string(),
  format: z.string().nullable(),
  refused: z.boolean().optional(),
  truncated: z.boolean().optional(),
  tests: z.array(ExpectedTest),
  attachments: z.number().optional(),
  runErrors: z.array(z.string()).optional(),
  firstStart: z.number().optional(),
});
export type ExpectedFile = z.infer<typeof ExpectedFile>;

const FOLDER = join(import.meta.dirname, '../samples/formats');
const names = (await readdir(FOLDER)).filter((name) => name.endsWith('.expected.json')).sort();

export const formatSample = (name: string): Promise<Buffer> => readFile(join(FOLDER, name));

const files = await Promise.all(
  names.map(async (name) => ExpectedFile.parse(JSON.parse((await formatSample(name)).toString()))),
);
export const FORMAT_SAMPLES = files.filter(({ refused }) => !refused);
export const REFUSED_SAMPLES = files.filter(({ refused }) => refused);
