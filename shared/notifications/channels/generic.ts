/**
 * The message about a run for any receiver other than Slack and Microsoft Teams. `text` is what Mattermost, Rocket.Chat
 * and Google Chat show, and the other fields are for programs.
 */
import { makeVisibleLine, takeFirstCharacters } from '#shared/engine/plain-text.ts';
import { getRunUrl, getTestUrl } from '#shared/model/runs/run-url.ts';
import { NOTIFICATION_LIMITS } from '#shared/notifications/limits.ts';
import { listedTestsIn, type RunFacts } from '#shared/notifications/run-facts.ts';

const { nameCharacters, titleCharacters, channelTests } = NOTIFICATION_LIMITS;

/**
 * People and tests wrote the text, so it is shown as inline code, in which chats recognize no mentions, links or
 * formatting. Inline code cannot contain a backtick, so an apostrophe replaces it.
 */
const code = (text: string, characters: number): string =>
  `\`${takeFirstCharacters(makeVisibleLine(text).replaceAll('`', "'"), characters) || ' '}\``;

function contentOf({ origin, projectName, run, result, comparison, problems }: RunFacts): object {
  const { branch, sha } = run.commit;
  const { total, tests } = listedTestsIn(comparison);
  const shown = tests.slice(0, channelTests);
  const url = getRunUrl(origin, run);
  const text = [
    `${code(projectName, nameCharacters)}: ${result} ${url}`,
    `build ${code(run.ciBuildId, nameCharacters)}${branch ? `, branch ${code(branch, nameCharacters)}` : ''}`,
    ...problems.map((problem) => code(problem, titleCharacters)),
    ...shown.map(({ word, test }) => `${word}: ${code(test.title.join(' › '), titleCharacters)}`),
    ...(total > shown.length ? [`and ${total - shown.length} more`] : []),
  ].join('\n');
  return {
    text,
    project: { id: run.projectId, name: projectName },
    run: { id: run.runId, url, result, ciBuildId: run.ciBuildId, branch, sha },
    tests: shown.map(({ word, test }) => ({
      verdict: word,
      spec: test.spec,
      title: test.title,
      url: getTestUrl(origin, run, test),
    })),
    testsTotal: total,
    problems,
  };
}

/** The body of a request that sends a message about a run, or a fixed text, to any receiver. */
export const genericBody = (content: RunFacts | string): object =>
  typeof content === 'string' ? { text: content } : contentOf(content);
