/** Writes the status of a commit. Its state follows all builds that tested the commit. */

import { takeFirstCharacters } from '#shared/engine/plain-text.ts';
import { composeKey } from '#shared/engine/table/keys.ts';
import type { HostNotification } from '#shared/model/events/notification.ts';
import { isUnderWay, type Run, runs } from '#shared/model/runs/run.ts';
import { getRunUrl } from '#shared/model/runs/run-url.ts';
import { NOTIFICATION_LIMITS } from '#shared/notifications/limits.ts';
import { describeRun, isFailedRun, readCounts } from '#shared/notifications/run-text.ts';
import { takeTurn } from '#shared/notifications/take-turn.ts';
import { type CommitState, readCommitState } from '#shared/results/runs/commit-state.ts';
import type { Services } from '#shared/services.ts';
import type { CommitStatus, HostApi } from './host-api.ts';

type StatusServices = Pick<Services, 'table' | 'now' | 'origin'>;

interface StatusReport {
  readonly notification: HostNotification;
  readonly run: Run;
  readonly sha: string;
}

/** Reads the builds of the commit, so that neither a late message nor the order of the builds matters. */
export function writeStatus(
  services: StatusServices,
  api: HostApi,
  { notification, run, sha }: StatusReport,
): Promise<boolean> {
  const turn = { receiver: notification, target: composeKey('status', sha), run, isAboutRun: false };
  const read = async () => {
    const { runId, ...status } = await readStatus(services, run, sha);
    const commitStatus = { url: getRunUrl(services.origin, { ...run, runId }), name: notification.context, ...status };
    return { runId, status: commitStatus, text: JSON.stringify(commitStatus) };
  };
  return takeTurn(services, turn, read, async (_, { status }) => {
    await api.host.writeStatus(api, sha, status);
    return {};
  });
}

type StatusOfRun = Pick<CommitStatus, 'state' | 'description'> & Pick<Run, 'runId'>;

async function readStatus(services: StatusServices, run: Run, sha: string): Promise<StatusOfRun> {
  const all = await readCommitState(services, { ...run, sha });
  if (!all) return readRunStatus(services, run);
  return { runId: all.run.runId, state: HOST_STATES[all.state], description: describeBuilds(all) };
}

/** The status of a commit that only this run has tested. */
async function readRunStatus(services: StatusServices, reportedRun: Run): Promise<StatusOfRun> {
  const { runId } = reportedRun;
  // The run may have ended, and its end may have been reported, before this delivery got its turn.
  const run = isUnderWay(reportedRun)
    ? ((await services.table.get(runs, reportedRun, { consistent: true })) ?? reportedRun)
    : reportedRun;
  if (isUnderWay(run)) return { runId, state: 'running', description: 'Tests are running' };
  const description = takeFirstCharacters(
    describeRun(run, await readCounts(services, run)),
    NOTIFICATION_LIMITS.statusCharacters,
  );
  return { runId, state: toHostState(run), description };
}

function toHostState(run: Run): CommitStatus['state'] {
  if (run.completionState === 'CANCELED') return 'canceled';
  return isFailedRun(run) || run.completionState === 'TIMEOUT' ? 'failure' : 'success';
}

const HOST_STATES = {
  passed: 'success',
  canceled: 'canceled',
  running: 'running',
  failed: 'failure',
} as const satisfies Readonly<Record<CommitState['state'], CommitStatus['state']>>;

/** Such as `1 of 3 builds failed, 1 running`. */
function describeBuilds({ builds, isWhole }: CommitState): string {
  const { passed, failed, running, canceled } = builds;
  const total = passed + failed + running + canceled;
  if (!isWhole) return `More than ${total} builds tested this commit, too many to say that all of them passed`;
  const parts = [
    [failed, 'failed'],
    [running, 'running'],
    [canceled, 'cancelled'],
  ] as const;
  const [first, ...more] = parts.filter(([count]) => count > 0);
  if (!first) return total === 1 ? 'The build passed' : `All ${total} builds passed`;
  const [count, word] = first;
  const others = more.map(([one, its]) => `, ${one} ${its}`).join('');
  return `${count} of ${total} ${total === 1 ? 'build' : 'builds'} ${word}${others}`;
}
