/** The lines of a blob report that are read. Unknown methods and members are passed over. */
import * as z from 'zod';
import { Annotations, flag, listOf, number, text, texts } from '#shared/reports/json-fields-wire.ts';
import { WireError } from './error-wire.ts';

export const Line = z.object({ method: z.string(), params: z.unknown().optional() });

const Shard = z.object({ current: z.int(), total: z.int() }).nullish().catch(null);

export const Metadata = z.object({ version: number, userAgent: text, shard: Shard, name: text });
export const Configure = z.object({
  config: z.object({ version: text, shard: Shard, metadata: z.unknown().optional() }),
});

/** Version 1 has `suites` and `tests`, version 2 has `entries`. */
export const Entry = z.object({
  title: text,
  testId: text,
  location: z.object({ file: text }).nullish().catch(null),
  tags: texts,
  annotations: Annotations,
  entries: listOf(z.unknown()),
  suites: listOf(z.unknown()),
  tests: listOf(z.unknown()),
});
export type Entry = z.output<typeof Entry>;

export const Project = z.object({ project: z.object({ name: text, suites: listOf(Entry) }) });

export const TestBegin = z.object({
  testId: z.string(),
  result: z.object({ id: z.string(), workerIndex: number, parallelIndex: number, startTime: number }),
});

const ofResult = { testId: z.string(), resultId: z.string() };

export const StepBegin = z.object({
  ...ofResult,
  step: z.object({ id: z.string(), parentStepId: text, title: text, category: text }),
});
export const StepEnd = z.object({
  ...ofResult,
  step: z.object({ id: z.string(), duration: number, error: WireError.nullish().catch(null) }),
});

const Attachment = z.object({ name: text, contentType: text, path: text, base64: text });
export type BlobAttachment = z.output<typeof Attachment>;
export const Attach = z.object({ ...ofResult, attachments: listOf(Attachment) });

export const Output = z.object({ testId: text, resultId: text, type: text, data: text, isBase64: flag });

export const TestEnd = z.object({
  test: z.object({ testId: z.string(), expectedStatus: text, annotations: Annotations }),
  result: z.object({
    id: z.string(),
    duration: number,
    status: text,
    errors: listOf(WireError),
    annotations: Annotations,
    attachments: listOf(Attachment),
  }),
});
export type TestEnd = z.output<typeof TestEnd>;

export const RunError = z.object({ error: WireError });

export const RunEnd = z.object({ result: z.object({ startTime: z.number() }) });
