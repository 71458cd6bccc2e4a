/** The message about a run: its result, its commit, and the tests that failed. */
import { shortSha } from '#shared/model/commit.ts';
import type { Run } from '#shared/model/run.ts';
import { runUrlOf, testUrlOf } from '#shared/model/run-url.ts';
import { SHOWN } from '#shared/notices/compared.ts';
import { NOTICE_LIMITS } from '#shared/notices/limits.ts';
import type { RunComparison } from '#shared/results/comparison-wire.ts';
import { code, link } from './mrkdwn.ts';

export interface SlackFacts {
  readonly origin: string;
  readonly projectName: string;
  readonly run: Pick<Run, 'organizationId' | 'projectId' | 'runId' | 'ciBuildId' | 'commit'>;
  /** The result in a few words of this service. */
  readonly result: string;
  readonly comparison: RunComparison;
}

const { nameCharacters, titleCharacters, slackCharacters, slackTests } = NOTICE_LIMITS;

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
