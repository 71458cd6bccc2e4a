/** §4.3 A failure context as Markdown, with masked secrets. */

import type { Root } from 'mdast';
import type { ContextData, InstanceContext, RunContext } from '#shared/context/context-wire.ts';
import type { ContextQuery } from '#shared/context/query-wire.ts';
import { shownContext } from '#shared/context/shown-context.ts';
import { failingTestsBlocks, nextPageBlocks } from './failing-tests.ts';
import {
  firstTestQueries,
  followUp,
  instanceQuery,
  omittedBlocks,
  type Reading,
  runQuery,
  testQuery,
  UNTRUSTED,
} from './follow-up.ts';
import { type Block, bullets, document, heading, type PhrasePart, quoted, section, table } from './nodes.ts';
import { serialize } from './serialize.ts';
import { environmentBlocks, gitBlocks } from './surroundings.ts';
import { testMarkdown } from './test-markdown.ts';

/** The page state is masked already. */
export function contextText(context: ContextData, query: ContextQuery, reading: Omit<Reading, 'detail'>): string {
  const { detail, max_length: maxLength } = query;
  const page = contextMarkdown(shownContext(context, query), { ...reading, detail });
  return serialize(page, maxLength === undefined ? {} : { maxLength });
}

// §4.3 Renders any level as Markdown.

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

/** §4.3 Renders run level as Markdown: status, spec files with problems, and their failed tests. */
function runMarkdown(context: RunContext, reading: Reading): Root {
  const { projectId, runId, ciBuildId, specs, git, list } = context;
  const tests = firstTestQueries(list, ({ instanceId, testId, test }) => [
    instanceQuery(runId, instanceId),
    testQuery(instanceId, testId, test.attempt),
  ]);
  return document(
    heading(1, 'Run Failure Context'),
    UNTRUSTED,
    facts(context),
    ...(reading.detail === 'summary' ? [] : section(2, 'Git', gitBlocks(git))),
    ...section(2, 'Specs With Failed, Skipped or Flaky Tests', specs.length > 0 ? [specTable(specs)] : []),
    ...failingTestsBlocks(list, reading.detail),
    ...omittedBlocks(list),
    ...nextPageBlocks(context),
    ...followUp({ projectId, runId, ciBuildId }, tests, reading),
  );
}

function facts({ status, completionState, totalFailedTests, totalFlakyTests }: RunContext): Block {
  const flaky: PhrasePart[][] = totalFlakyTests === undefined ? [] : [[`Flaky tests: ${totalFlakyTests}`]];
  return bullets([
    ['Status: ', quoted(status), ', ', quoted(completionState)],
    [`Failed tests: ${totalFailedTests}`],
    ...flaky,
  ]);
}

const specTable = (specs: RunContext['specs']): Block =>
  table(
    ['Spec', 'Group', 'Failed', 'Skipped', 'Flaky', 'instanceId'],
    specs.map(({ spec, groupId, failed, skipped, flaky, instanceId }) => [
      quoted(spec),
      quoted(groupId),
      `${failed}`,
      `${skipped}`,
      `${flaky}`,
      quoted(instanceId),
    ]),
  );
