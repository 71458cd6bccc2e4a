/** The request and response formats of imports. Every parameter is optional. An empty text counts as absent. */

import * as z from 'zod';
import { findWebAddress } from '#shared/engine/web-address.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { text } from '#shared/model/names.ts';
import { LAST_TRY } from '#shared/model/runs/ci-job.ts';
import { REPORT_FORMATS } from '#shared/model/runs/report-format.ts';
import { LEG } from '#shared/recording/job-wire.ts';
import { RECORDING_LIMITS } from '#shared/recording/limits.ts';
import { IMPORT_LIMITS } from './limits.ts';

const omitEmptyText = (value: string | undefined): string | undefined => value || undefined;
const boundedText = (description: string, characters: number = MODEL_LIMITS.idCharacters) =>
  text(characters).optional().transform(omitEmptyText).meta({ description });
/** No maximum length: a long commit message must not cost a team its results. `SentCommit` truncates it later. */
const freeText = (description: string) => z.string().optional().transform(omitEmptyText).meta({ description });
const matchingText = (pattern: RegExp, error: string, description: string) =>
  z
    .string()
    .refine((value) => value === '' || pattern.test(value), { error })
    .optional()
    .transform(omitEmptyText)
    .meta({ description });

const digits = (description: string) =>
  matchingText(new RegExp(`^\\d{1,${IMPORT_LIMITS.pullRequestDigits}}$`), 'must be a number', description);

const importQuery = {
  name: boundedText('The name of the file', RECORDING_LIMITS.fileNameCharacters),
  format: z.enum(REPORT_FORMATS).optional().meta({ description: 'The format. Needed only if it is detected wrongly' }),
  ciBuildId: boundedText(
    'The id of the CI build. Imports with the same id belong to one run. Default: derived from the content',
  ),
  branch: freeText('The branch'),
  sha: freeText('The SHA of the commit'),
  message: freeText('The message of the commit'),
  author: freeText('The author of the commit'),
  authorEmail: freeText('The email address of the author'),
  repository: freeText('The URL of the repository'),
  pullRequest: digits('The number of the pull request'),
  pullRequestTitle: freeText('The title of the pull request'),
  githubRunId: digits('The id of the GitHub Actions workflow run'),
  githubRunAttempt: digits('The attempt number of the GitHub Actions workflow run. Default: 1'),
  job: boundedText('The CI job that ran the tests'),
  jobAttempt: z.int().min(0).max(LAST_TRY).optional().meta({
    description: 'The attempt of the job. A later attempt of a build is a run of its own, linked with the first one',
  }),
  jobId: boundedText('The id of this try of the job, if the CI system does not number its tries'),
  jobUrl: z
    .string()
    .optional()
    .transform(findWebAddress)
    .meta({ description: 'The address of the CI job, which pages link. Anything but a web address is ignored' }),
  jobBuild: boundedText('What the tries of a build have in common, if `ciBuildId` differs for each try'),
  try: z.int().min(1).max(RECORDING_LIMITS.lastTry).optional().meta({
    description: 'The number of the try, if a job repeats its tests itself. Needs `ciBuildId`',
  }),
  leg: boundedText(
    `${LEG}. Only the last import of a command may send it, because the others are then known to have arrived`,
  ),
  group: boundedText('The group, such as a browser, of tests whose report names none. Default: `default`'),
  tags: z
    .array(z.string().max(RECORDING_LIMITS.tagCharacters))
    .max(RECORDING_LIMITS.tagsPerList)
    .optional()
    .meta({ description: 'Tags of the run' }),
  environment: boundedText('The environment that was tested'),
  root: boundedText(
    'The root folder of the repository on the machine that ran the tests. Paths below it become relative',
    MODEL_LIMITS.specCharacters,
  ),
  timezone: boundedText('The time zone for times that name none, such as `Europe/Berlin` or `+02:00`. Default: UTC'),
  machineId: boundedText('The machine that ran the tests'),
  unreadable: z
    .array(z.string().transform((name) => name.slice(-IMPORT_LIMITS.fileNameCharacters).toWellFormed()))
    .transform((names) => names.slice(0, IMPORT_LIMITS.lostFiles))
    .optional()
    .meta({ description: 'Names of report files of the build that could not be read. The run fails, and names them' }),
  status: z
    .enum(['passed', 'failed'])
    .optional()
    .meta({ description: 'How the job ended. The run of a failed job fails even if its report has no failed test' }),
  complete: z
    .boolean()
    .optional()
    .meta({ description: '`false` keeps the run open for more imports. The next import without it ends the run' }),
  quarantine: z.boolean().optional().meta({
    description:
      '`true` applies the quarantines of the project: a failed test that a rule quarantines is recorded as pending, with its errors, and does not fail the run',
  }),
};

export const ImportQuery = z.object({
  ...importQuery,
  dryRun: z.boolean().optional().meta({ description: '`true` parses the report without recording it' }),
});
export type ImportQuery = z.output<typeof ImportQuery>;

export const LinkQuery = z.object(importQuery);

const count = z.int().nonnegative();

const ImportedFile = z
  .object({
    name: z.string(),
    format: z.enum(REPORT_FORMATS),
    dialect: z.string().nullable().meta({ description: 'The tool that wrote the file. null if it is not recognized' }),
    specs: count,
    tests: z.object({
      overall: count,
      passes: count,
      failures: count,
      pending: count,
      skipped: count,
      flaky: count.meta({ description: 'Also counted in `passes`' }),
    }),
    attachments: count,
    truncated: z.boolean().meta({ description: 'Whether the file is truncated. Its run then cannot pass' }),
    duplicates: count.meta({ description: 'Tests with the same name as an earlier test' }),
    runErrors: z.array(z.string()).meta({ description: 'Errors outside tests. A run with such errors cannot pass' }),
    warnings: z
      .array(z.object({ line: count.nullable(), message: z.string() }))
      .meta({ description: 'Problems of the file, and parts of it that were left out' }),
  })
  .meta({ id: 'ImportedFile' });

const QuarantinedFailures = z
  .object({
    failures: count.meta({ description: 'Tests that failed or did not run' }),
    quarantined: count,
    others: z.array(z.string()).meta({
      description: `The names of the first ${IMPORT_LIMITS.namedFailures} tests that failed or did not run, and are not quarantined`,
    }),
    problems: z.array(z.string()).meta({
      description: 'What is wrong with the report other than its tests, so that it may not have all failures',
    }),
  })
  .meta({ id: 'QuarantinedFailures' });

export const ImportAnswer = z
  .object({
    importId: z.string(),
    projectId: z.string(),
    state: z.enum(['waiting', 'recording', 'recorded', 'refused', 'read']).meta({
      description:
        '`waiting` for the file or the queue, `recording` its results, `recorded`, `refused` (see `problem`), or `read` by a dry run',
    }),
    runId: z.string().nullable(),
    runUrl: z.string().nullable(),
    ciBuildId: z.string().nullable(),
    createdAt: z.string(),
    changedAt: z.string(),
    problem: z.string().nullable().meta({ description: 'Why the import was refused, and what to do' }),
    progress: z.object({
      specs: z.object({ recorded: count, overall: count }),
      tests: z.object({ recorded: count, overall: count }),
    }),
    files: z.array(ImportedFile),
    quarantine: QuarantinedFailures.optional().meta({
      description: 'Only with `quarantine=true`, as soon as the report is read',
    }),
  })
  .meta({ id: 'Import' });

export const ImportLink = z
  .object({
    importId: z.string(),
    uploadUrl: z.string().meta({ description: 'Presigned URL. Send the file here by PUT, without a credential' }),
    expiresAt: z.string(),
  })
  .meta({ id: 'ImportLink' });
