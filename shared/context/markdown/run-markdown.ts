/** §4.3 Renders run level as Markdown: status, spec files with problems, and their failed tests. */
import type { Root } from 'mdast';
import type { RunContext } from '#shared/context/context-wire.ts';
import { failingTestsBlocks, nextPageBlocks } from './failing-tests.ts';
import {
  firstTestQueries,
  followUp,
  instanceQuery,
  omittedBlocks,
  type Reading,
  testQuery,
  UNTRUSTED,
} from './follow-up.ts';
import { type Block, bullets, document, heading, type PhrasePart, quoted, section, table } from './nodes.ts';
import { gitBlocks } from './surroundings.ts';

export function runMarkdown(context: RunContext, reading: Reading): Root {
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
