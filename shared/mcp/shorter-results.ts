/** Executions of tests, pull requests and spec files as tools show them. */
import type * as z from 'zod';
import type { ApiActor } from '#shared/access/actor.ts';
import { cutText } from '#shared/engine/cut-text.ts';
import type { TestResult } from '#shared/results/executions/test-result-wire.ts';
import { makeFilePageLink } from '#shared/results/instances/file-page.ts';
import type { InstanceWire } from '#shared/results/instances/instance-wire.ts';
import type { PullRequestWire } from '#shared/results/runs/pull-requests-wire.ts';
import type { Services } from '#shared/services.ts';
import { MCP_LIMITS } from './limits.ts';
import { shortenRun } from './shorter-runs.ts';

/** Keeps twice the characters to be shown, because masking hides the half that is next to the cut. */
const cutError = (text: string | null | undefined): string | undefined =>
  text ? cutText(text, 2 * MCP_LIMITS.errorCharacters) : undefined;

type Results = readonly z.output<typeof TestResult>[];

export const shortenResults = <Page extends { readonly data: Results }>(page: Page) => ({
  ...page,
  data: page.data.map(({ cursor, commit, attempts, displayError, ...one }) => ({
    createdAt: one.createdAt,
    status: one.status,
    flaky: one.flaky,
    attempts: attempts.length,
    durationMs: one.duration,
    branch: commit.branch,
    sha: commit.sha?.slice(0, 12),
    author: commit.authorName,
    groupId: one.groupId,
    runId: one.runId,
    instanceId: one.instanceId,
    testId: one.testId,
    error: cutError(displayError),
    cursor,
  })),
});

export const shortenPullRequests = <
  Page extends { readonly data: readonly (z.output<typeof PullRequestWire> & { readonly cursor: string })[] },
>(
  page: Page,
) => ({
  ...page,
  data: page.data.map(({ runs, ...pullRequest }) => ({ ...pullRequest, runs: runs.map(shortenRun) })),
});

/** Links of files are those of pages, which are shorter than signed ones and do not end within minutes. */
export function shortenInstance(
  { data }: { readonly data: z.output<typeof InstanceWire> },
  {
    request: { actor },
    services: { origin },
  }: { readonly request: { readonly actor: ApiActor }; readonly services: Pick<Services, 'origin'> },
): object {
  const toPageLink = (url: string) => makeFilePageLink({ ...actor, projectId: data.projectId }, origin, url);
  const { results, commit, ...instance } = data;
  const { tests, playwrightTraces, screenshots, videos, attachments, stdout } = results;
  return {
    instanceId: instance.instanceId,
    runId: instance.runId,
    groupId: instance.groupId,
    spec: instance.spec,
    machineId: instance.machineId,
    completedAt: instance.completedAt,
    branch: commit.branch,
    stats: results.stats,
    tests: tests.map((test) => ({
      testId: test.testId,
      title: test.title,
      state: test.state,
      isFlaky: test.isFlaky,
      attempts: test.attempts.length,
      durationMs: test.duration,
      error: cutError(test.displayError),
    })),
    screenshots: screenshots.map(({ testId, testAttemptIndex, screenshotURL }) => ({
      testId,
      testAttemptIndex,
      screenshotURL: toPageLink(screenshotURL),
    })),
    traces: playwrightTraces.map(({ testId, testAttemptIndex, traceURL }) => ({
      testId,
      testAttemptIndex,
      traceURL: toPageLink(traceURL),
    })),
    videos: videos.map(({ testId, testAttemptIndex, videoUrl }) => ({
      testId,
      testAttemptIndex,
      videoUrl: toPageLink(videoUrl),
    })),
    attachments: attachments.map(({ testId, name, readUrl }) => ({ testId, name, readUrl: toPageLink(readUrl) })),
    stdout: stdout ? toPageLink(stdout.readUrl) : undefined,
  };
}
