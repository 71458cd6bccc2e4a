/** The message about a run: its result, its commit, and the tests that failed. */

import { beginningOf, visibleLine } from '#shared/engine/plain-text.ts';
import { shortSha } from '#shared/model/runs/commit.ts';
import type { Run } from '#shared/model/runs/run.ts';
import { runUrlOf, testUrlOf } from '#shared/model/runs/run-url.ts';
import { SHOWN } from '#shared/notifications/compared.ts';
import { NOTIFICATION_LIMITS } from '#shared/notifications/limits.ts';
import type { RunComparison } from '#shared/results/comparison-wire.ts';

/**
 * Texts in Slack's mrkdwn. All texts of people and tests are code, in which Slack knows no formatting, emoji or
 * automatic links. It parses mentions and links between angle brackets everywhere, so three characters are escaped.
 * Code cannot contain a backtick, so an apostrophe replaces it.
 */
function code(text: string, characters: number): string {
  const line = visibleLine(text).replaceAll('`', "'");
  const shown = beginningOf(line, characters);
  const whole = `${escaped(shown)}${shown.length < line.length ? '…' : ''}`;
  return `\`${whole || ' '}\``;
}

/** A link to a page of this service. `text` must not come from people or tests. */
const link = (url: string, text: string): string => `<${escaped(url).replaceAll('|', '%7C')}|${text}>`;

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

export interface SlackFacts {
  readonly origin: string;
  readonly projectName: string;
  readonly run: Pick<Run, 'organizationId' | 'projectId' | 'runId' | 'ciBuildId' | 'commit'>;
  /** The result in a few words, without texts of people or tests. */
  readonly result: string;
  readonly comparison: RunComparison;
}

const { nameCharacters, titleCharacters, slackCharacters, slackTests } = NOTIFICATION_LIMITS;

export function slackText({ origin, projectName, run, result, comparison }: SlackFacts): string {
  const { branch } = run.commit;
  const sha = shortSha(run.commit);
  const head = `*${code(projectName, nameCharacters)}*: ${link(runUrlOf(origin, run), result)}`;
  const about = [
    `build ${code(run.ciBuildId, nameCharacters)}`,
    ...(branch ? [`branch ${code(branch, nameCharacters)}`] : []),
    ...(sha ? [`commit ${code(sha, sha.length)}`] : []),
  ];
  const lines = [head, about.join(', ')];
  const wanted = testsOf(comparison);
  let left = slackCharacters - lines.join('\n').length;
  let shown = 0;
  for (const { word, test } of wanted.tests.slice(0, slackTests)) {
    const title = code(test.title.join(' › '), titleCharacters);
    const line = `• ${word}: ${title} ${link(testUrlOf(origin, run, test), 'show')}`;
    left -= line.length + 1;
    if (left < 0) break;
    lines.push(line);
    shown += 1;
  }
  if (wanted.total > shown) lines.push(`and ${wanted.total - shown} more`);
  return lines.join('\n');
}

function testsOf({ sections }: RunComparison) {
  const own = SHOWN.flatMap(([verdict, word]) => {
    const section = sections.find((one) => one.verdict === verdict);
    return section && verdict !== 'flaky' ? [{ word, section }] : [];
  });
  return {
    total: own.reduce((sum, { section }) => sum + section.total, 0),
    tests: own.flatMap(({ word, section }) => section.tests.map((test) => ({ word, test }))),
  };
}
