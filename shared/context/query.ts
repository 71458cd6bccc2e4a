/** §4.3 The three query shapes, told apart by the ids that are given. */
import * as z from 'zod';
import { invalidRequest } from '../errors.ts';
import { LIMITS } from '../limits.ts';
import { id } from '../resources/names.ts';

const { contextPage } = LIMITS;

export const ContextQuery = z.object({
  run_id: id.optional().meta({ description: 'Run level, and with `instance_id` instance level' }),
  instance_id: id.optional().meta({ description: 'Instance level, and with `test_id` test level' }),
  test_id: id.optional().meta({ description: 'Test level; needs `instance_id`. `run_id` is not looked at then' }),
  attempt: z
    .int()
    .min(0)
    .max(LIMITS.attemptsPerTest)
    .optional()
    .meta({ description: 'Zero-based, test level only. Default: the last attempt with an error, else the last one' }),
  format: z.enum(['json', 'md']).optional().meta({ description: 'Default: what `Accept` asks for, else JSON' }),
  detail: z
    .enum(['default', 'compact', 'summary'])
    .default('default')
    .meta({ description: 'How much of each test: everything, without the step tree, or the error and ids only' }),
  limit: z
    .int()
    .min(contextPage.minimum)
    .max(contextPage.maximum)
    .default(contextPage.default)
    .meta({ description: 'Tests per page; run and instance level' }),
  page: z.int().min(0).max(LIMITS.testsPerRun).default(0).meta({ description: 'Zero-based; run and instance level' }),
  max_length: z
    .int()
    .min(1)
    .optional()
    .meta({ description: 'Characters of the Markdown at most, cut where it must be; Markdown only' }),
  include_flaky: z.boolean().default(false).meta({ description: 'Flaky tests after the failed ones; run level only' }),
});
export type ContextQuery = z.output<typeof ContextQuery>;

export type Target =
  | { readonly level: 'run'; readonly runId: string }
  | { readonly level: 'instance'; readonly runId: string; readonly instanceId: string }
  | { readonly level: 'test'; readonly instanceId: string; readonly testId: string };

export function targetOf({ run_id, instance_id, test_id, attempt }: ContextQuery): Target {
  const isTest = instance_id !== undefined && test_id !== undefined;
  if (attempt !== undefined && !isTest) {
    throw invalidRequest('`attempt` selects an attempt of one test. Send it together with `instance_id` and `test_id`');
  }
  if (isTest) return { level: 'test', instanceId: instance_id, testId: test_id };
  if (test_id !== undefined)
    throw invalidRequest('`test_id` needs `instance_id`, which is in every answer about the test');
  if (run_id === undefined) {
    throw invalidRequest('`run_id` is required, unless `instance_id` and `test_id` name one test');
  }
  return instance_id === undefined
    ? { level: 'run', runId: run_id }
    : { level: 'instance', runId: run_id, instanceId: instance_id };
}
