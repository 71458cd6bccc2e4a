/** The message in Slack about a run: its result, its commit, and the tests that failed or were fixed. */

import { shortenToLine } from '#shared/engine/plain-text.ts';
import { findShortSha } from '#shared/model/runs/commit.ts';
import { getRunUrl, getTestUrl } from '#shared/model/runs/run-url.ts';
import { getAnswerUrl } from '#shared/notifications/answer-url.ts';
import { NOTIFICATION_LIMITS } from '#shared/notifications/limits.ts';
import { listReportedTests, type RunFacts } from '#shared/notifications/run-facts.ts';
import { type AnswerPart, type AnswerTarget, writeAnswer } from '#shared/results/failures/answer.ts';

/**
 * Slack recognizes no formatting, emoji or automatic links in inline code, but mentions and links in angle brackets.
 * Inline code cannot contain a backtick, so an apostrophe replaces it.
 */
const formatCode = (text: string, characters: number): string =>
  `\`${escapeText(shortenToLine(text, characters).replaceAll('`', "'")) || ' '}\``;

/** A link to a page of this service. `text` must not contain anything that people or tests wrote. */
const formatLink = (url: string, text: string): string => `<${escapeText(url).replaceAll('|', '%7C')}|${text}>`;

const escapeText = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const { nameCharacters, titleCharacters, slackCharacters, channelTests } = NOTIFICATION_LIMITS;

export function formatSlackText({ origin, projectName, run, result, comparison, problems }: RunFacts): string {
  const { branch } = run.commit;
  const sha = findShortSha(run.commit);
  const head = `*${formatCode(projectName, nameCharacters)}*: ${formatLink(getRunUrl(origin, run), result)}`;
  const facts = [`build ${formatCode(run.ciBuildId, nameCharacters)}`];
  if (branch) facts.push(`branch ${formatCode(branch, nameCharacters)}`);
  if (sha) facts.push(`commit ${formatCode(sha, sha.length)}`);
  const problemLines = problems.map((problem) => `• ${formatCode(problem, titleCharacters)}`);
  const lines = [head, facts.join(', '), ...problemLines];
  const answer = writeAnswer({ comparison }).map((sentence) =>
    sentence.map((part) => formatPart(part, (to) => getAnswerUrl(origin, run, to))).join(''),
  );
  if (answer.length > 0) lines.push(answer.join(' '));
  const listing = listReportedTests(comparison);
  let left = slackCharacters - lines.join('\n').length;
  let shownCount = 0;
  for (const { word, test } of listing.tests.slice(0, channelTests)) {
    const title = formatCode(test.title.join(' › '), titleCharacters);
    const line = `• ${word}: ${title} ${formatLink(getTestUrl(origin, run, test), 'show')}`;
    left -= line.length + 1;
    if (left < 0) break;
    lines.push(line);
    shownCount += 1;
  }
  if (listing.total > shownCount) lines.push(`and ${listing.total - shownCount} more`);
  return lines.join('\n');
}

/** A link cannot contain code, so the texts of tests and people are not linked. */
function formatPart(part: AnswerPart, urlOf: (target: AnswerTarget) => string): string {
  if (typeof part === 'string') return part;
  return 'words' in part ? formatLink(urlOf(part.to), part.words) : formatCode(part.quote, titleCharacters);
}

export const buildSlackBody = (content: RunFacts | string): object => ({
  text: typeof content === 'string' ? content : formatSlackText(content),
  unfurl_links: false,
  unfurl_media: false,
});
