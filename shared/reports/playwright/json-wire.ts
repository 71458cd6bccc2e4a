/** The members of Playwright's JSON report that are read. */
import * as z from 'zod';
import { Annotations, listOf, number, text, texts } from '#shared/reports/json-fields-wire.ts';
import { WireError } from './error-wire.ts';

const Output = listOf(z.object({ text, buffer: text }));

const Attachment = z.object({ name: text, contentType: text, path: text, body: text });
export type Attachment = z.output<typeof Attachment>;

export const Result = z.object({
  workerIndex: number,
  parallelIndex: number,
  status: text,
  duration: number,
  startTime: text,
  error: WireError.nullish().catch(null),
  errors: listOf(WireError),
  stdout: Output,
  stderr: Output,
  steps: z.unknown().optional(),
  attachments: listOf(Attachment),
});
export type Result = z.output<typeof Result>;

export const Test = z.object({
  expectedStatus: text,
  projectId: text,
  projectName: text,
  annotations: Annotations,
  results: listOf(Result),
});
export type Test = z.output<typeof Test>;

export const Spec = z.object({ id: text, title: text, tags: texts, tests: listOf(Test) });
export type Spec = z.output<typeof Spec>;

export const Suite = z.object({ title: text, file: text, specs: listOf(z.unknown()), suites: listOf(z.unknown()) });
export type Suite = z.output<typeof Suite>;

export const Config = z.object({
  version: text,
  rootDir: text,
  shard: z.object({ current: z.int(), total: z.int() }).nullish().catch(null),
});

/** A project of the configuration. */
export const Project = z.object({ id: z.string(), testDir: z.string() });
