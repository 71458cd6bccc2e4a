/** §4.3 The query parameters of a failure context. */
import * as z from 'zod';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { id } from '#shared/model/names.ts';
import { CONTEXT_LIMITS } from './limits.ts';

const {
  contextPage,
  contextDetail: { compact, summary },
} = CONTEXT_LIMITS;

const DETAIL = [
  '`default`: everything.',
  `\`compact\` omits \`steps\` and keeps ${compact.assets} files per category.`,
  `It keeps ${compact.messageCharacters} characters of the message, ${compact.otherMessageCharacters} in other attempts.`,
  `It keeps ${compact.frames} project frames of the stack.`,
  `It keeps ${compact.outputLines} lines of output, at most ${compact.outputCharacters} characters.`,
  '`summary` keeps `spec`, `test`, `error`, `errorContext`, `meta`, `failingSince`, `knownIssues` and ids.',
  `It keeps ${summary.messageCharacters} characters of the message, and ${summary.snippetCharacters} of the snippet.`,
  `It keeps ${summary.frames} frames of the stack, at most ${summary.stackCharacters} characters.`,
  'A shortened text says so. `omitted` counts the omitted steps and files.',
].join(' ');

export const ContextQuery = z.object({
  run_id: id.optional().meta({ description: 'Selects run level, or with `instance_id` instance level' }),
  instance_id: id.optional().meta({ description: 'Selects instance level, or with `test_id` test level' }),
  test_id: id.optional().meta({
    description:
      'Selects test level and requires `instance_id`. Test level ignores `run_id`, `limit`, `page` and `include_flaky`',
  }),
  attempt: z.int().min(0).max(MODEL_LIMITS.attemptsPerTest).optional().meta({
    description:
      'Attempt, counted from 0, test level only. Default: the last attempt with an error, else the last attempt',
  }),
  format: z
    .enum(['json', 'md'])
    .optional()
    .meta({ description: 'Format of the answer. Default: by the `Accept` header, else JSON' }),
  detail: z
    .enum(['default', 'compact', 'summary'])
    .default('default')
    .meta({ description: `How much of each test to return. ${DETAIL}` }),
  limit: z
    .int()
    .min(contextPage.minimum)
    .max(contextPage.maximum)
    .default(contextPage.default)
    .meta({ description: 'Tests per page. Run and instance level only' }),
  page: z
    .int()
    .min(0)
    .max(MODEL_LIMITS.testsPerRun)
    .default(0)
    .meta({ description: 'Page number, counted from 0. Run and instance level only' }),
  max_length: z.int().min(1).optional().meta({ description: 'Maximum number of characters. Markdown only' }),
  include_flaky: z
    .boolean()
    .default(false)
    .meta({ description: 'Lists flaky tests after the failed ones. Run level only, ignored at other levels' }),
});

export type ContextQuery = z.output<typeof ContextQuery>;
