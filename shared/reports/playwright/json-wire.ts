/**
 * The members of Playwright's JSON report that the parser reads. Lists of suites, specs, tests, results and steps are
 * `unknown` here, because the parser reads each element with its own schema: a malformed one then costs only itself,
 * and the rest of the report is kept.
 */
import * as z from 'zod';
import { cutText } from '#shared/engine/cut-text.ts';
import { copyText } from '#shared/engine/own-copy.ts';
import {
  Annotations,
  Attachment,
  listField,
  numberField,
  orNull,
  Shard,
  textField,
  textsField,
} from '#shared/reports/json-fields-wire.ts';
import { REPORT_LIMITS } from '#shared/reports/limits.ts';
import { PlaywrightError } from './error-wire.ts';

const Output = listField(z.object({ text: textField, buffer: textField }));

/** Members of a result that are stored as they are. The events of a blob report have them, too. */
export const resultFacts = { workerIndex: numberField, parallelIndex: numberField };

/** A status is stored as it is, and may be any text. */
export const statusField = textField.transform((status) => copyText(cutText(status, REPORT_LIMITS.statusCharacters)));

export const JsonResult = z.object({
  ...resultFacts,
  status: statusField,
  duration: numberField,
  startTime: textField,
  error: orNull(PlaywrightError),
  errors: listField(PlaywrightError),
  stdout: Output,
  stderr: Output,
  steps: z.unknown().optional(),
  attachments: listField(Attachment),
});
export type JsonResult = z.output<typeof JsonResult>;

export const JsonTest = z.object({
  expectedStatus: statusField,
  projectId: textField,
  projectName: textField,
  annotations: Annotations,
  results: z.unknown().optional(),
});
export type JsonTest = z.output<typeof JsonTest>;

export const JsonSpec = z.object({ id: textField, title: textField, tags: textsField, tests: z.unknown().optional() });
export type JsonSpec = z.output<typeof JsonSpec>;

export const JsonSuite = z.object({
  title: textField,
  file: textField,
  specs: z.unknown().optional(),
  suites: z.unknown().optional(),
});
export type JsonSuite = z.output<typeof JsonSuite>;

export const JsonConfig = z.object({
  version: textField,
  rootDir: textField,
  shard: Shard,
});

export const JsonProject = z.object({ id: z.string(), testDir: z.string() });
