/** §4.3 Renders any level as Markdown. */
import type { Root } from 'mdast';
import type { ContextData, InstanceContext } from '#shared/context/context-wire.ts';
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
import { bullets, document, heading, quoted, section } from './nodes.ts';
import { runMarkdown } from './run-markdown.ts';
import { environmentBlocks, gitBlocks } from './surroundings.ts';
import { testMarkdown } from './test-markdown.ts';

/** §4.3 Renders instance level as Markdown. */
function instanceMarkdown(context: InstanceContext, reading: Reading): Root {
  const { runId, instanceId, spec, total, list, environment, git } = context;
  const tests = firstTestQueries(list, ({ testId, test }) => [testQuery(instanceId, testId, test.attempt)]);
  return document(
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

/** Renders a context of any level. It must be masked and reduced to the requested detail already. */
export function contextMarkdown(context: ContextData, reading: Reading): Root {
  if (context.level === 'test') return testMarkdown(context, reading);
  return context.level === 'instance' ? instanceMarkdown(context, reading) : runMarkdown(context, reading);
}
