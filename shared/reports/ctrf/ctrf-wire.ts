/** The members of a CTRF report that the parser reads. Each may be absent, because tools differ in what they write. */
import * as z from 'zod';
import {
  Annotations,
  Attachment,
  flagField,
  listField,
  numberField,
  orNull,
  textField,
  textsField,
} from '#shared/reports/json-fields-wire.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';

const Suite = orNull(
  z.union([z.string().transform((text) => text.split(' > ', REPORT_LIMITS.suitesPerTest)), textsField]),
).transform((parts) => parts ?? []);

/** The members that a test and each of its earlier attempts have. */
const attemptMembers = {
  status: textField,
  rawStatus: textField,
  duration: numberField,
  start: numberField,
  message: textField,
  trace: textField,
  snippet: textField,
  stdout: textsField,
  stderr: textsField,
  attachments: listField(Attachment),
};

const CtrfAttempt = z.object(attemptMembers);
export type CtrfAttempt = z.output<typeof CtrfAttempt>;

export const CtrfTest = z.object({
  ...attemptMembers,
  name: textField,
  suite: Suite,
  filePath: textField,
  tags: textsField,
  retries: numberField,
  retryAttempts: listField(CtrfAttempt),
  flaky: flagField,
  /** Read by `parseSteps`, which accepts what is malformed. */
  steps: z.unknown().optional(),
  extra: orNull(z.object({ annotations: Annotations })).transform((extra) => extra?.annotations ?? []),
});
export type CtrfTest = z.output<typeof CtrfTest>;

export const CtrfTool = z.object({ name: textField, version: textField });

/** Some tools write numbers. An empty text stands for none. */
const textOrNumber = orNull(z.union([z.string(), z.number().transform(String)])).transform((value) => value || null);

export const CtrfEnvironment = z.object({
  buildId: textOrNumber,
  buildName: textOrNumber,
  buildNumber: textOrNumber,
  commit: textOrNumber,
  branchName: textOrNumber,
  repositoryUrl: textOrNumber,
});
export type CtrfEnvironment = z.output<typeof CtrfEnvironment>;

/** When the run of the tests began and ended, in epoch milliseconds. */
export const CtrfSummary = z.object({ start: numberField, stop: numberField });
export type CtrfSummary = z.output<typeof CtrfSummary>;
