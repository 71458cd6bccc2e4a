/**
 * The message in Microsoft Teams about a run, as an Adaptive Card. The incoming webhooks of Teams workflows accept this
 * format: https://adaptivecards.io/explorer/RichTextBlock.html
 */
import { shortenToLine } from '#shared/engine/plain-text.ts';
import { findShortSha } from '#shared/model/runs/commit.ts';
import { getRunUrl, getTestUrl } from '#shared/model/runs/run-url.ts';
import { getAnswerUrl } from '#shared/notifications/answer-url.ts';
import { NOTIFICATION_LIMITS } from '#shared/notifications/limits.ts';
import { listReportedTests, type RunFacts } from '#shared/notifications/run-facts.ts';
import { type AnswerPart, type AnswerTarget, writeAnswer } from '#shared/results/failures/answer.ts';

/**
 * A `TextRun` recognizes no Markdown, and a mention needs an entity, which the card lacks, so texts of people and
 * tests have no effect. `TextBlock` and `FactSet` would format them.
 */
const makeLine = (...runs: readonly object[]) => ({ type: 'RichTextBlock', inlines: runs });
const makePlainText = (text: string) => ({ type: 'TextRun', text });
const makeBoldText = (text: string) => ({ type: 'TextRun', text, weight: 'Bolder' });
const makeLink = (text: string, url: string) => ({
  type: 'TextRun',
  text,
  selectAction: { type: 'Action.OpenUrl', url },
});

const { nameCharacters, titleCharacters, channelTests } = NOTIFICATION_LIMITS;

function buildContent({ origin, projectName, run, result, comparison, problems }: RunFacts): object {
  const { branch } = run.commit;
  const sha = findShortSha(run.commit);
  const facts = [`build ${shortenToLine(run.ciBuildId, nameCharacters)}`];
  if (branch) facts.push(`branch ${shortenToLine(branch, nameCharacters)}`);
  if (sha) facts.push(`commit ${sha}`);
  const lines = [
    makeLine(makeBoldText(`${shortenToLine(projectName, nameCharacters)}: ${result}`)),
    makeLine(makePlainText(facts.join(', '))),
    ...problems.map((problem) => makeLine(makePlainText(shortenToLine(problem, titleCharacters)))),
  ];
  const answer = writeAnswer({ comparison }).flatMap((sentence) => [
    ...sentence.map((part) => makeAnswerText(part, (target) => getAnswerUrl(origin, run, target))),
    makePlainText(' '),
  ]);
  if (answer.length > 0) lines.push(makeLine(...answer));
  const { total, tests } = listReportedTests(comparison);
  const firstTests = tests.slice(0, channelTests);
  for (const { word, test } of firstTests) {
    const title = shortenToLine(test.title.join(' › '), titleCharacters);
    lines.push(makeLine(makePlainText(`${word}: `), makeLink(title, getTestUrl(origin, run, test))));
  }
  if (total > firstTests.length) lines.push(makeLine(makePlainText(`and ${total - firstTests.length} more`)));
  return makeCard(lines, [{ type: 'Action.OpenUrl', title: 'Open the run', url: getRunUrl(origin, run) }]);
}

function makeAnswerText(part: AnswerPart, urlOf: (target: AnswerTarget) => string): object {
  if (typeof part === 'string') return makePlainText(part);
  const text = 'words' in part ? part.words : shortenToLine(part.quote, titleCharacters);
  return part.to ? makeLink(text, urlOf(part.to)) : makePlainText(text);
}

const makeCard = (body: readonly object[], actions: readonly object[] = []): object => ({
  type: 'AdaptiveCard',
  $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
  version: '1.4',
  body,
  actions,
});

export const buildTeamsBody = (content: RunFacts | string): object => ({
  type: 'message',
  attachments: [
    {
      contentType: 'application/vnd.microsoft.card.adaptive',
      contentUrl: null,
      content: typeof content === 'string' ? makeCard([makeLine(makePlainText(content))]) : buildContent(content),
    },
  ],
});
