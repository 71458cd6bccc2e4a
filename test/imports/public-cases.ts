/** Loads the cases of `test/samples/cases`, which has one folder per case. */
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';

export const FOLDER = join(import.meta.dirname, '../samples/cases');

const ExpectedTest = z.strictObject({
  spec: z.string(),
  title: z.array(z.string()),
  outcome: z.string(),
  flaky: z.boolean().default(false),
  attempts: z.int().default(1),
  /** The spec file and the title that release 0.2.0 gave to the test, if they were others. */
  formerly: z.array(z.string()).optional(),
  /** Of the last attempt. */
  durationMs: z.int().optional(),
});
export type ExpectedTest = z.infer<typeof ExpectedTest>;

const Case = z.strictObject({
  about: z.string(),
  /** `requests`: one request for each file, all with one build id. */
  sent: z.enum(['file', 'form', 'zip', 'requests']),
  files: z.array(z.string()),
  isRefused: z.boolean().default(false),
  outcomes: z.record(z.string(), z.int()).optional(),
  status: z.enum(['PASSED', 'FAILED']).optional(),
  tests: z.array(ExpectedTest).optional(),
});
export type Case = z.infer<typeof Case>;

export const CASES = readdirSync(FOLDER);

export const readCase = async (name: string): Promise<Case> =>
  Case.parse(JSON.parse(await readFile(join(FOLDER, name, 'case.json'), 'utf8')));
