/** The start of a machine with our own reporters. It may be sent again. */

import type * as z from 'zod';
import { mapConcurrently } from '#shared/engine/concurrently.ts';
import { ABSENT } from '#shared/engine/table/writes.ts';
import { holdRun } from '#shared/lifecycle/hold-run.ts';
import { deriveMachineKey } from '#shared/model/ids.ts';
import { findBuildId, findCiJob } from '#shared/model/runs/ci-job.ts';
import type { Origin } from '#shared/model/runs/origin.ts';
import { recordingMachines } from '#shared/model/runs/recording-machine.ts';
import { getRunUrl } from '#shared/model/runs/run-url.ts';
import { joinRun } from '#shared/recording/join-run.ts';
import { completeFramework, mergeBrowser } from '#shared/recording/run-wire.ts';
import { presentCancellation } from '#shared/results/runs/run-feed.ts';
import type { Services } from '#shared/services.ts';
import type { StartedRecording, StartRecordingBody } from './recording-wire.ts';
import { MACHINE_LIMITS } from './started-machine.ts';

interface StartRequest {
  readonly organizationId: string;
  readonly projectId: string;
  readonly body: StartRecordingBody;
  readonly origin?: Origin | undefined;
}

/** Starts or joins the run of the build, with all groups that the machine records. */
export async function startRecording(
  services: Services,
  { organizationId, projectId, body, origin }: StartRequest,
): Promise<z.input<typeof StartedRecording>> {
  const { groups: sentGroups, machineId, process, commit, tags, pullRequest, github } = body;
  const githubVariables = github ? { githubRunId: github.runId, githubRunAttempt: github.attempt } : {};
  const job = body.job ?? findCiJob(githubVariables);
  const suite = sentGroups.map(({ platform, browser, ...group }) => group);
  const join = ({ name: groupId, platform, browser }: (typeof sentGroups)[number]) =>
    joinRun(services, {
      organizationId,
      projectId,
      ciBuildId: body.ciBuildId || findBuildId(githubVariables),
      commit,
      tags,
      job,
      leg: body.leg ?? undefined,
      suite,
      machineId,
      groupId,
      holds: true,
      facts: { platform: mergeBrowser(platform, browser), coverageEnabled: false },
      framework: completeFramework(body.framework),
      pullRequest: pullRequest ? { id: pullRequest.id, title: pullRequest.title ?? null } : undefined,
      github: github ?? undefined,
      again: body.try ?? undefined,
      cancelAfterFailures: body.cancelAfterFailures ?? undefined,
      requestKeys: [deriveMachineKey(machineId)],
      origin,
    });
  const [first, ...others] = sentGroups;
  if (!first) throw new Error('A recording without groups passed the validation');
  // The first request stores the suite for all groups, so that the other requests only add the machine to their groups.
  const { run, isNewRun } = await join(first);
  const { runId, ciBuildId } = run;
  await mapConcurrently(others, join);
  const key = { organizationId, runId, machineId, process };
  const machine = await services.table.get(recordingMachines, key, { consistent: true });
  if (!machine) {
    // The run stays open until its machines have ended, because they may record tests that they did not announce, and
    // report errors outside tests at their end. Only the first start of a machine holds the run open. If the network
    // delivered a start again after the end of the machine, nothing would let the run end.
    await holdRun(services, run);
    const startedAt = services.now();
    const initialState = { at: startedAt, startedAt, received: '', period: run.ends, job: job?.name };
    const row = {
      ...key,
      ...initialState,
      part: body.part ?? undefined,
      specFiles: body.specFiles ?? undefined,
      stopsIfCancelled: body.stopsIfCancelled ?? undefined,
      leg: body.leg ?? undefined,
      expiresAt: run.expiry.results,
    };
    await services.table.put(recordingMachines, row, ABSENT);
  }
  const runUrl = getRunUrl(services.origin, run);
  return { runId, runUrl, ciBuildId, isNewRun, cancellation: presentCancellation(run), limits: MACHINE_LIMITS };
}
