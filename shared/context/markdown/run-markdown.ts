/** §4.3 Run level as Markdown: how the run stands, which spec files did not pass, and why their tests failed. */
import type { Root } from 'mdast';
import type { RunContext } from '../shape.ts';
import { failingTestsBlocks, nextPageBlocks } from './failing-tests.ts';
import { followUp, UNTRUSTED } from './follow-up.ts';
import { type Block, bullets, heading, type Part, page, quoted, section, table } from './nodes.ts';
import { gitBlocks } from './surroundings.ts';

export function runMarkdown(context: RunContext): Root {
  const { projectId, runId, ciBuildId, specs, git, list } = context;
  return page(
    heading(1, 'Run Failure Context'),
    UNTRUSTED,
    facts(context),
    ...section(2, 'Git', gitBlocks(git)),
    ...section(2, 'Specs That Did Not Pass', specs.length > 0 ? [specTable(specs)] : []),
    ...failingTestsBlocks(list),
    ...nextPageBlocks(context),
    ...followUp({ projectId, runId, ciBuildId }, ['instance', 'attempt']),
  );
}

function facts({ status, completionState, totalFailedTests, totalFlakyTests }: RunContext): Block {
  const flaky: Part[][] = totalFlakyTests === undefined ? [] : [[`Flaky tests: ${totalFlakyTests}`]];
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
