/** §4.3 The three kinds of context queries (run, instance, test). The ids in a query decide its kind. */
import { answerTooLarge, invalidRequest } from '#shared/engine/errors.ts';
import type { Ignores } from '#shared/engine/http/query.ts';
import { CONTEXT_LIMITS } from './limits.ts';
import type { ContextQuery } from './query-wire.ts';

/** Parameters without a meaning at this level are ignored instead of refused, because existing clients send them. */
export const listIgnoredParameters: Ignores = (isSent) => {
  if (!isSent('instance_id')) return [];
  return isSent('test_id') ? ['run_id', 'limit', 'page', 'include_flaky'] : ['include_flaky'];
};

export type ContextTarget =
  | { readonly level: 'run'; readonly runId: string }
  | { readonly level: 'instance'; readonly runId: string; readonly instanceId: string }
  | { readonly level: 'test'; readonly instanceId: string; readonly testId: string };

type Ids = Pick<ContextQuery, 'run_id' | 'instance_id' | 'test_id' | 'attempt'>;

export function parseContextTarget({ run_id, instance_id, test_id, attempt }: Ids): ContextTarget {
  const isTest = instance_id !== undefined && test_id !== undefined;
  if (attempt !== undefined && !isTest) {
    throw invalidRequest('`attempt` selects an attempt of one test. Send it together with `instance_id` and `test_id`');
  }
  if (isTest) return { level: 'test', instanceId: instance_id, testId: test_id };
  if (test_id !== undefined)
    throw invalidRequest(
      '`test_id` requires `instance_id`. Send both: the context of the run contains them for each failed test',
    );
  if (run_id === undefined) {
    throw invalidRequest('`run_id` is missing. Send it, or select a test with `instance_id` and `test_id`', ['run_id']);
  }
  return instance_id === undefined
    ? { level: 'run', runId: run_id }
    : { level: 'instance', runId: run_id, instanceId: instance_id };
}

export function suggestShorterContext({ detail, limit, max_length, ...ids }: ContextQuery): string[] {
  const suggestions: string[] = [];
  if (detail === 'default') suggestions.push('request less detail with `detail=compact` or `detail=summary`');
  if (detail === 'compact') suggestions.push('request less detail with `detail=summary`');
  const isOneTest = parseContextTarget(ids).level === 'test';
  if (!isOneTest && limit !== 1) suggestions.push('request fewer tests with `limit`');
  suggestions.push(
    max_length === undefined
      ? 'request Markdown of limited length with `format=md` and `max_length`'
      : 'request a smaller `max_length`',
  );
  return suggestions;
}

export const contextTooLarge = (query: ContextQuery) =>
  answerTooLarge('The failure context', suggestShorterContext(query));

/**
 * With `max_length`, the page ends early, so fewer characters suffice. The shorter levels of detail always get the full
 * number, because they mask more than they show: a lower limit could cut the page too early.
 */
export function computeMaskingLimit({
  max_length: length,
  detail,
}: Pick<ContextQuery, 'max_length' | 'detail'>): number {
  const { maskedCharacters: most, maskedForLength } = CONTEXT_LIMITS;
  if (length === undefined || detail !== 'default') return most;
  return Math.min(most, maskedForLength.atLeast + maskedForLength.times * length);
}
