/** The lines of a blob report that the parser reads. Unknown methods and members are ignored. */
import * as z from 'zod';
import {
  Annotations,
  flagField,
  listField,
  numberField,
  orNull,
  Shard,
  textField,
  textsField,
} from '#shared/reports/json-fields-wire.ts';
import { PlaywrightError } from './error-wire.ts';
import { resultFacts, statusField } from './json-wire.ts';

export const Line = z.object({ method: z.string(), params: z.unknown().optional() });

export const Metadata = z.object({ version: numberField, userAgent: textField, shard: Shard, name: textField });
export const Configure = z.object({
  config: z.object({ version: textField, shard: Shard, metadata: z.unknown().optional() }),
});

/** A suite or test. In version 1, a suite has `suites` and `tests`. In version 2, it has `entries`. */
export const BlobEntry = z.object({
  title: textField,
  testId: textField,
  location: orNull(z.object({ file: textField })),
  tags: textsField,
  annotations: Annotations,
  entries: z.unknown().optional(),
  suites: z.unknown().optional(),
  tests: z.unknown().optional(),
});
export type BlobEntry = z.output<typeof BlobEntry>;

export const BlobProject = z.object({ project: z.object({ name: textField, suites: z.unknown().optional() }) });

export const TestBegin = z.object({
  testId: z.string(),
  result: z.object({ id: z.string(), ...resultFacts, startTime: numberField }),
});

const ofResult = { testId: z.string(), resultId: z.string() };

export const StepBegin = z.object({
  ...ofResult,
  step: z.object({ id: z.string(), parentStepId: textField, title: textField, category: textField }),
});
export const StepEnd = z.object({
  ...ofResult,
  step: z.object({ id: z.string(), duration: numberField, error: orNull(PlaywrightError) }),
});

const Attachment = z.object({ name: textField, contentType: textField, path: textField, base64: textField });
export type BlobAttachment = z.output<typeof Attachment>;
export const Attach = z.object({ ...ofResult, attachments: listField(Attachment) });

export const Output = z.object({
  testId: textField,
  resultId: textField,
  type: textField,
  data: textField,
  isBase64: flagField,
});

export const TestEnd = z.object({
  test: z.object({ testId: z.string(), expectedStatus: statusField, annotations: Annotations }),
  result: z.object({
    id: z.string(),
    ...resultFacts,
    duration: numberField,
    status: statusField,
    errors: listField(PlaywrightError),
    annotations: Annotations,
    attachments: listField(Attachment),
  }),
});
export type TestEnd = z.output<typeof TestEnd>;

export const RunError = z.object({ error: PlaywrightError });

export const BlobEnd = z.object({ result: z.object({ startTime: z.number(), duration: numberField }) });
