/** §4.3 Instance level as Markdown: why tests of one spec file failed. */
import type { Root } from 'mdast';
import type { InstanceContext } from '../shape.ts';
import { failingTestsBlocks, nextPageBlocks } from './failing-tests.ts';
import { followUp, UNTRUSTED } from './follow-up.ts';
import { bullets, heading, page, quoted, section } from './nodes.ts';
import { environmentBlocks, gitBlocks } from './surroundings.ts';

export function instanceMarkdown(context: InstanceContext): Root {
  const { runId, instanceId, spec, total, list, environment, git } = context;
  return page(
    heading(1, 'Instance Failure Context'),
    UNTRUSTED,
    bullets([['Spec: ', quoted(spec)], [`Failed tests: ${total}`]]),
    ...section(2, 'Git', gitBlocks(git)),
    ...section(2, 'Environment', environmentBlocks(environment)),
    ...failingTestsBlocks(list),
    ...nextPageBlocks(context),
    ...followUp({ runId, instanceId }, ['attempt', 'run']),
  );
}
