/** The message in Slack about a run: its result, its commit, and the tests that failed or were fixed. */

import { shortenToLine } from '#shared/engine/plain-text.ts';
import { findShortSha } from '#shared/model/runs/commit.ts';
import { getRunUrl, getTestUrl } from '#shared/model/runs/run-url.ts';
import { NOTIFICATION_LIMITS } from '#shared/notifications/limits.ts';
import { listedTestsIn, type RunFacts } from '#shared/notifications/run-facts.ts';

/**
 * Formats a text for Slack's mrkdwn. All texts that people or tests wrote are shown as inline code, in which Slack
 * recognizes no formatting, emoji or automatic links. Slack parses mentions and links in angle brackets even in code,
 * so `&`, `<` and `>` are escaped. Inline code cannot contain a backtick, so an apostrophe replaces it.
 */
const code = (text: string, characters: number): string =>
  `\`${escaped(shortenToLine(text, characters).replaceAll('`', "'")) || ' '}\``;

/** A link to a page of this service. `text` must not contain anything that people or tests wrote. */
const link = (url: string, text: string): string => `<${escaped(url).replaceAll('|', '%7C')}|${text}>`;

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const { nameCharacters, titleCharacters, slackCharacters, channelTests } = NOTIFICATION_LIMITS;

export function slackText({ origin, projectName, run, result, comparison, problems }: RunFacts): string {
  const { branch } = run.commit;
  const sha = findShortSha(run.commit);
  const head = `*${code(projectName, nameCharacters)}*: ${link(getRunUrl(origin, run), result)}`;
  const about = [
    `build ${code(run.ciBuildId, nameCharacters)}`,
    ...(branch ? [`branch ${code(branch, nameCharacters)}`] : []),
    ...(sha ? [`commit ${code(sha, sha.length)}`] : []),
  ];
  const lines = [head, about.join(', '), ...problems.map((problem) => `• ${code(problem, titleCharacters)}`)];
  const wanted = listedTestsIn(comparison);
  let left = slackCharacters - lines.join('\n').length;
  let shown = 0;
  for (const { word, test } of wanted.tests.slice(0, channelTests)) {
    const title = code(test.title.join(' › '), titleCharacters);
    const line = `• ${word}: ${title} ${link(getTestUrl(origin, run, test), 'show')}`;
    left -= line.length + 1;
    if (left < 0) break;
    lines.push(line);
    shown += 1;
  }
  if (wanted.total > shown) lines.push(`and ${wanted.total - shown} more`);
  return lines.join('\n');
}

/** The body of a request that sends a message about a run, or a fixed text, to Slack. */
export const slackBody = (content: RunFacts | string): object => ({
  text: typeof content === 'string' ? content : slackText(content),
  unfurl_links: false,
  unfurl_media: false,
});
