/** §4.3 Renders instance level as Markdown. */
import type { Root } from 'mdast';
import type { InstanceContext } from '#shared/context/context-wire.ts';
import { failingTestsBlocks, nextPageBlocks } from './failing-tests.ts';
import {
  firstTestQueries,
  followUp,
  omittedBlocks,
  type Reading,
  runQuery,
  testQuery,
  UNTRUSTED,
} from './follow-up.ts';
import { bullets, heading, page, quoted, section } from './nodes.ts';
import { environmentBlocks, gitBlocks } from './surroundings.ts';

export function instanceMarkdown(context: InstanceContext, reading: Reading): Root {
  const { runId, instanceId, spec, total, list, environment, git } = context;
  const tests = firstTestQueries(list, ({ testId, test }) => [testQuery(instanceId, testId, test.attempt)]);
  return page(
    heading(1, 'Instance Failure Context'),
    UNTRUSTED,
    bullets([['Spec: ', quoted(spec)], [`Failed tests: ${total}`]]),
    ...(reading.detail === 'summary'
      ? []
      : [...section(2, 'Git', gitBlocks(git)), ...section(2, 'Environment', environmentBlocks(environment))]),
    ...failingTestsBlocks(list, reading.detail),
    ...omittedBlocks(list),
    ...nextPageBlocks(context),
    ...followUp({ runId, instanceId }, [...tests, runQuery(runId)], reading),
  );
}
