/** The members of a CTRF report that are read. Writers differ in all of them, so each may be absent. */
import * as z from 'zod';
import { Annotations, flag, listOf, number, text, texts } from '#shared/reports/json-fields-wire.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';

const Suite = z
  .union([z.string().transform((joined) => joined.split(' > ', REPORT_LIMITS.suitesPerTest)), texts])
  .nullish()
  .catch(null)
  .transform((parts) => parts ?? []);

export const CtrfAttachment = z.object({ name: text, contentType: text, path: text, body: text });
export type CtrfAttachment = z.output<typeof CtrfAttachment>;

const outcome = {
  status: text,
  rawStatus: text,
  duration: number,
  start: number,
  message: text,
  trace: text,
  snippet: text,
  stdout: texts,
  stderr: texts,
  attachments: listOf(CtrfAttachment),
};

const CtrfAttempt = z.object(outcome);
export type CtrfAttempt = z.output<typeof CtrfAttempt>;

export const CtrfTest = z.object({
  ...outcome,
  name: text,
  suite: Suite,
  filePath: text,
  tags: texts,
  retries: number,
  retryAttempts: listOf(CtrfAttempt),
  flaky: flag,
  steps: z.unknown().optional(),
  extra: z
    .object({ annotations: Annotations })
    .nullish()
    .catch(null)
    .transform((extra) => extra?.annotations ?? []),
});
export type CtrfTest = z.output<typeof CtrfTest>;

export const CtrfTool = z.object({ name: text, version: text });

const id = z
  .union([z.string(), z.number().transform(String)])
  .nullish()
  .catch(null)
  .transform((value) => value || null);

export const CtrfEnvironment = z.object({
  buildId: id,
  buildName: id,
  buildNumber: id,
  commit: id,
  branchName: id,
  repositoryUrl: id,
});
export type CtrfEnvironment = z.output<typeof CtrfEnvironment>;
