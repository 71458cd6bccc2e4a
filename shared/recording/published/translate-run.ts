/** Translates between the published protocol and the beginning of a run. */
import type * as z from 'zod';
import { getRunUrl } from '#shared/model/runs/run-url.ts';
import { readSentCi } from '#shared/recording/ci-wire.ts';
import type { JoinedRun } from '#shared/recording/join-run.ts';
import type { RunRequest } from '#shared/recording/run-request.ts';
import { mergeBrowser } from '#shared/recording/run-wire.ts';
import { presentCancellation } from '#shared/results/runs/run-feed.ts';
import type { Services } from '#shared/services.ts';
import type { CreateRunAnswer, CreateRunBody } from './run-wire.ts';

export function toRunRequest(
  body: CreateRunBody,
  sender: Pick<RunRequest, 'organizationId' | 'framework'>,
): RunRequest {
  const { projectId, group, machineId, commit, tags, fullTestSuite, coverage, config } = body;
  return {
    ...sender,
    ...readSentCi(body),
    projectId,
    groupId: group,
    machineId,
    commit,
    tags,
    facts: {
      platform: mergeBrowser(body.platform, body.browser),
      coverageEnabled: Array.isArray(coverage) && coverage.length > 0,
    },
    suite: fullTestSuite ?? [],
    cancelAfterFailures: config?.currents?.autoCancelAfterFailures,
  };
}

export const presentJoinedRun = (
  { origin }: Pick<Services, 'origin'>,
  { run, machineId, isNewRun }: JoinedRun,
  groupId: string,
): z.input<typeof CreateRunAnswer> => ({
  runId: run.runId,
  groupId,
  machineId,
  ciBuildId: run.ciBuildId,
  runUrl: getRunUrl(origin, run),
  dashboardUrl: getRunUrl(origin, run),
  isNewRun,
  cancellation: presentCancellation(run),
  warnings: [],
});
