/**
 * The message about a run for any receiver other than Slack and Microsoft Teams. `text` is what Mattermost, Rocket.Chat
 * and Google Chat show, and the other fields are for programs.
 */
import { makeVisibleLine, takeFirstCharacters } from '#shared/engine/plain-text.ts';
import { getRunUrl, getTestUrl } from '#shared/model/runs/run-url.ts';
import { NOTIFICATION_LIMITS } from '#shared/notifications/limits.ts';
import { listReportedTests, type RunFacts } from '#shared/notifications/run-facts.ts';

const { nameCharacters, titleCharacters, channelTests } = NOTIFICATION_LIMITS;

/** People and tests wrote the text. Inline code has no mentions or links. It cannot contain a backtick. */
const formatCode = (text: string, characters: number): string =>
  `\`${takeFirstCharacters(makeVisibleLine(text).replaceAll('`', "'"), characters) || ' '}\``;

function buildContent({ origin, projectName, run, result, comparison, problems }: RunFacts): object {
  const { branch, sha } = run.commit;
  const { total, tests } = listReportedTests(comparison);
  const firstTests = tests.slice(0, channelTests);
  const url = getRunUrl(origin, run);
  const branchText = branch ? `, branch ${formatCode(branch, nameCharacters)}` : '';
  const lines = [
    `${formatCode(projectName, nameCharacters)}: ${result} ${url}`,
    `build ${formatCode(run.ciBuildId, nameCharacters)}${branchText}`,
    ...problems.map((problem) => formatCode(problem, titleCharacters)),
    ...firstTests.map(({ word, test }) => `${word}: ${formatCode(test.title.join(' › '), titleCharacters)}`),
  ];
  if (total > firstTests.length) lines.push(`and ${total - firstTests.length} more`);
  return {
    text: lines.join('\n'),
    project: { id: run.projectId, name: projectName },
    run: { id: run.runId, url, result, ciBuildId: run.ciBuildId, branch, sha },
    tests: firstTests.map(({ word, test }) => ({
      verdict: word,
      spec: test.spec,
      title: test.title,
      url: getTestUrl(origin, run, test),
    })),
    testsTotal: total,
    problems,
  };
}

export const buildGenericBody = (content: RunFacts | string): object =>
  typeof content === 'string' ? { text: content } : buildContent(content);
