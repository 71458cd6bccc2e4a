/** §4.3 The three query shapes, distinguished by their ids. */
import * as z from 'zod';
import { invalidRequest } from '#shared/engine/errors.ts';
import type { Ignores } from '#shared/engine/http/query.ts';
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
  '`summary` keeps `spec`, `test`, `error`, `errorContext`, `meta` and ids.',
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
    description: 'Zero-based, test level only. Default: the last attempt with an error, else the last attempt',
  }),
  format: z.enum(['json', 'md']).optional().meta({ description: 'Default: by the `Accept` header, else JSON' }),
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
    .meta({ description: 'Zero-based. Run and instance level only' }),
  max_length: z.int().min(1).optional().meta({ description: 'Maximum number of characters. Markdown only' }),
  include_flaky: z
    .boolean()
    .default(false)
    .meta({ description: 'Lists flaky tests after the failed ones. Run level only, ignored at other levels' }),
});
export type ContextQuery = z.output<typeof ContextQuery>;

/** §4.3 Parameters of other levels are ignored, because clients send them. */
export const ignoredInContext: Ignores = (isSent) => {
  if (!isSent('instance_id')) return [];
  return isSent('test_id') ? ['run_id', 'limit', 'page', 'include_flaky'] : ['include_flaky'];
};

export type Target =
  | { readonly level: 'run'; readonly runId: string }
  | { readonly level: 'instance'; readonly runId: string; readonly instanceId: string }
  | { readonly level: 'test'; readonly instanceId: string; readonly testId: string };

type Ids = Pick<ContextQuery, 'run_id' | 'instance_id' | 'test_id' | 'attempt'>;

export function targetOf({ run_id, instance_id, test_id, attempt }: Ids): Target {
  const isTest = instance_id !== undefined && test_id !== undefined;
  if (attempt !== undefined && !isTest) {
    throw invalidRequest('`attempt` selects an attempt of one test. Send it together with `instance_id` and `test_id`');
  }
  if (isTest) return { level: 'test', instanceId: instance_id, testId: test_id };
  if (test_id !== undefined)
    throw invalidRequest('`test_id` requires `instance_id`. Every response about the test contains it');
  if (run_id === undefined) {
    throw invalidRequest('`run_id` is required unless `instance_id` and `test_id` select a test');
  }
  return instance_id === undefined
    ? { level: 'run', runId: run_id }
    : { level: 'instance', runId: run_id, instanceId: instance_id };
}

/** The ways to make this request's response smaller. */
export function shorterContext({ detail, limit, max_length, ...ids }: ContextQuery): string[] {
  const shorter = { default: ['`detail=compact`', '`detail=summary`'], compact: ['`detail=summary`'], summary: [] }[
    detail
  ];
  const isOneTest = targetOf(ids).level === 'test';
  return [
    shorter.length > 0 ? `request less detail with ${shorter.join(' or ')}` : [],
    isOneTest || limit === 1 ? [] : 'request fewer tests with `limit`',
    max_length === undefined
      ? 'request Markdown of limited length with `format=md` and `max_length`'
      : 'request a smaller `max_length`',
  ].flat();
}
