/** The comment on a pull request: the result, the run that it is compared with, and the tests by verdict. */

import { shortenToLine } from '#shared/engine/plain-text.ts';
import { findShortSha } from '#shared/model/runs/commit.ts';
import { getRunUrl, getTestUrl } from '#shared/model/runs/run-url.ts';
import { getAnswerUrl } from '#shared/notifications/answer-url.ts';
import { SHOWN } from '#shared/notifications/compare-for-notification.ts';
import { NOTIFICATION_LIMITS } from '#shared/notifications/limits.ts';
import type { RunFacts } from '#shared/notifications/run-facts.ts';
import type { ComparedTest, Verdict } from '#shared/results/comparisons/comparison-wire.ts';
import { type AnswerPart, writeAnswer } from '#shared/results/failures/answer.ts';

/**
 * Formats a text that comes from people or tests as inline code, so that it mentions nobody, links to nothing and does
 * not break the structure of the comment. Outside of code, code hosts recognize mentions, issue numbers, labels, URLs
 * and emoji. GitLab also runs lines that begin with a slash as commands, so the text is kept on one line and comes after
 * the delimiter of the code. A vertical bar would split the table cell even inside code, so it is replaced by a similar
 * character.
 */
function formatCode(text: string, characters: number): string {
  const line = shortenToLine(text, characters).replaceAll('|', '\u2223') || ' ';
  const longestRun = Math.max(0, ...[...line.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longestRun + 1);
  // Spaces separate the delimiters from a text that begins or ends with backticks. Markdown removes these spaces.
  return `${fence} ${line} ${fence}`;
}

/** A link to a page of this service. The URL is in angle brackets, so that it may contain parentheses. */
const formatLink = (text: string, url: string): string =>
  `[${text}](<${url.replaceAll('<', '%3C').replaceAll('>', '%3E').replaceAll('|', '%7C')}>)`;

interface CommentFacts extends RunFacts {
  readonly marker: string;
}

const { nameCharacters, titleCharacters, errorCharacters, commentCharacters } = NOTIFICATION_LIMITS;

export function buildCommentBody(facts: CommentFacts): string {
  const { origin, marker, projectName, run, result, problems } = facts;
  const name = formatCode(projectName, nameCharacters);
  const link = formatLink(formatCode(run.ciBuildId, nameCharacters), getRunUrl(origin, run));
  const problemLines = problems.map((problem) => `- ${formatCode(problem, titleCharacters)}`);
  const answer = formatAnswer(facts);
  const head = [marker, `### ${name}: ${result}`, '', `Run ${link}${formatCommit(run)}. ${formatBase(facts)}`, ''];
  if (problemLines.length > 0) head.push(...problemLines, '');
  if (answer !== '') head.push(answer, '');
  return appendRows(head.join('\n'), facts);
}

function formatCommit({ commit }: CommentFacts['run']): string {
  const sha = findShortSha(commit);
  return sha === undefined ? '' : ` of ${formatCode(sha, sha.length)}`;
}

function formatBase({ origin, run, comparison: { base, baseBranch } }: CommentFacts): string {
  const branch = formatCode(baseBranch, nameCharacters);
  if (!base) return `There is no earlier complete run of ${branch} with the same groups to compare with.`;
  const link = formatLink(formatCode(base.ciBuildId, nameCharacters), getRunUrl(origin, { ...run, runId: base.runId }));
  return `Compared with the run ${link} of ${branch}.`;
}

const formatAnswer = (facts: CommentFacts): string =>
  writeAnswer({ comparison: facts.comparison })
    .map((sentence) => sentence.map((part) => formatPart(facts, part)).join(''))
    .join(' ');

function formatPart({ origin, run }: CommentFacts, part: AnswerPart): string {
  if (typeof part === 'string') return part;
  const text = 'words' in part ? part.words : formatCode(part.quote, titleCharacters);
  return part.to ? formatLink(text, getAnswerUrl(origin, run, part.to)) : text;
}

const TABLE_HEAD = ['| | Test | Error |', '|---|---|---|'].join('\n');

/** Adds as many rows to the table as fit. If tests are left out, the last line says how many. */
function appendRows(head: string, facts: CommentFacts): string {
  const { sections } = facts.comparison;
  const totals = new Map(sections.map(({ verdict, total }) => [verdict, total]));
  const total = SHOWN.reduce((sum, [verdict]) => sum + (totals.get(verdict) ?? 0), 0);
  if (total === 0) return `${head}\nNo tests failed, were flaky or were fixed.`;
  const lines = [head, TABLE_HEAD];
  let left = commentCharacters - head.length - TABLE_HEAD.length;
  let shownCount = 0;
  for (const row of listRows(facts)) {
    left -= row.length + 1;
    if (left < 0) break;
    lines.push(row);
    shownCount += 1;
  }
  const more = total - shownCount;
  const isWhole = facts.comparison.isWhole ? '' : ' at least';
  if (more > 0)
    lines.push('', `And${isWhole} ${more} more in ${formatLink('the run', getRunUrl(facts.origin, facts.run))}.`);
  return lines.join('\n');
}

function listRows(facts: CommentFacts): string[] {
  const { sections } = facts.comparison;
  return SHOWN.flatMap(([verdict, word]) => {
    const section = sections.find((one) => one.verdict === verdict);
    return (section?.tests ?? []).map((test) => formatRow(facts, test, { verdict, word }));
  });
}

function formatRow(
  { origin, run }: CommentFacts,
  test: ComparedTest,
  { verdict, word }: { readonly verdict: Verdict; readonly word: string },
): string {
  const title = formatLink(formatCode(test.title.join(' › '), titleCharacters), getTestUrl(origin, run, test));
  const flakyNote = test.knownFlaky ? ', known flaky' : '';
  const where = test.groupId === test.spec ? test.spec : `${test.spec} · ${test.groupId}`;
  const error = test.error === null || verdict === 'fixed' ? '' : formatCode(test.error, errorCharacters);
  return `| ${word}${flakyNote} | ${title} ${formatCode(where, nameCharacters)} | ${error} |`;
}
