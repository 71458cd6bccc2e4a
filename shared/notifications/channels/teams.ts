/**
 * The message in Microsoft Teams about a run, as an Adaptive Card. The incoming webhooks of Teams workflows accept this
 * format: https://adaptivecards.io/explorer/RichTextBlock.html
 */
import { shortenToLine } from '#shared/engine/plain-text.ts';
import { findShortSha } from '#shared/model/runs/commit.ts';
import { getRunUrl, getTestUrl } from '#shared/model/runs/run-url.ts';
import { NOTIFICATION_LIMITS } from '#shared/notifications/limits.ts';
import { listedTestsIn, type RunFacts } from '#shared/notifications/run-facts.ts';

/**
 * A line of text. A `TextRun` recognizes no Markdown, and a mention needs an entity that the card does not have, so
 * Markdown and mentions in texts that people and tests wrote have no effect. `TextBlock` and `FactSet` would format
 * such texts.
 */
const line = (...runs: readonly object[]) => ({ type: 'RichTextBlock', inlines: runs });
const plain = (text: string) => ({ type: 'TextRun', text });
const bold = (text: string) => ({ type: 'TextRun', text, weight: 'Bolder' });
const linked = (text: string, url: string) => ({
  type: 'TextRun',
  text,
  selectAction: { type: 'Action.OpenUrl', url },
});

const { nameCharacters, titleCharacters, channelTests } = NOTIFICATION_LIMITS;

function contentOf({ origin, projectName, run, result, comparison, problems }: RunFacts): object {
  const { branch } = run.commit;
  const sha = findShortSha(run.commit);
  const about = [
    `build ${shortenToLine(run.ciBuildId, nameCharacters)}`,
    ...(branch ? [`branch ${shortenToLine(branch, nameCharacters)}`] : []),
    ...(sha ? [`commit ${sha}`] : []),
  ];
  const { total, tests } = listedTestsIn(comparison);
  const shown = tests.slice(0, channelTests);
  return card(
    [
      line(bold(`${shortenToLine(projectName, nameCharacters)}: ${result}`)),
      line(plain(about.join(', '))),
      ...problems.map((problem) => line(plain(shortenToLine(problem, titleCharacters)))),
      ...shown.map(({ word, test }) =>
        line(
          plain(`${word}: `),
          linked(shortenToLine(test.title.join(' › '), titleCharacters), getTestUrl(origin, run, test)),
        ),
      ),
      ...(total > shown.length ? [line(plain(`and ${total - shown.length} more`))] : []),
    ],
    [{ type: 'Action.OpenUrl', title: 'Open the run', url: getRunUrl(origin, run) }],
  );
}

const card = (body: readonly object[], actions: readonly object[] = []): object => ({
  type: 'AdaptiveCard',
  $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
  version: '1.4',
  body,
  actions,
});

/** The body of a request that sends a message about a run, or a fixed text, to Teams. */
export const teamsBody = (content: RunFacts | string): object => ({
  type: 'message',
  attachments: [
    {
      contentType: 'application/vnd.microsoft.card.adaptive',
      contentUrl: null,
      content: typeof content === 'string' ? card([line(plain(content))]) : contentOf(content),
    },
  ],
});
