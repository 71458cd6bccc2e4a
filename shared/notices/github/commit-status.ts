/** The status of a commit: whether the newest run of the project passed. */
import { beginningOf } from '#shared/engine/plain-text.ts';
import { composed } from '#shared/engine/table/keys.ts';
import type { GithubNotice } from '#shared/model/notice.ts';
import type { Run } from '#shared/model/run.ts';
import { runUrlOf } from '#shared/model/run-url.ts';
import { NOTICE_LIMITS } from '#shared/notices/limits.ts';
import { countersOf, hasFailed, isUnderWay, runText } from '#shared/notices/run-text.ts';
import { takeTurn } from '#shared/notices/take-turn.ts';
import type { Services } from '#shared/services.ts';
import type { Github } from './github.ts';

type Reading = Pick<Services, 'table' | 'now' | 'origin'>;

interface Status {
  readonly state: 'pending' | 'success' | 'failure' | 'error';
  readonly description: string;
  readonly target_url: string;
  readonly context: string;
}

/** Writes the current state of the run, so that a late message about its start cannot hide its end. */
export async function writeStatus(
  services: Reading,
  github: Github,
  { notice, run, sha }: { readonly notice: GithubNotice; readonly run: Run; readonly sha: string },
): Promise<boolean> {
  const status = await statusOf(services, notice, run);
  const turn = { receiver: notice, target: composed('status', sha), run, text: JSON.stringify(status) };
  return takeTurn(services, turn, async () => {
    await github.call({ method: 'POST', path: `/statuses/${sha}`, body: status, does: 'commit status' });
    return {};
  });
}

async function statusOf(services: Reading, { context }: GithubNotice, run: Run): Promise<Status> {
  const common = { target_url: runUrlOf(services.origin, run), context };
  if (isUnderWay(run)) return { ...common, state: 'pending', description: 'Tests are running' };
  const description = beginningOf(runText(run, await countersOf(services, run)), NOTICE_LIMITS.statusCharacters);
  return { ...common, state: stateOf(run), description };
}

/** A cancelled run says nothing about the commit. */
function stateOf(run: Run): Status['state'] {
  if (run.completionState === 'CANCELED') return 'error';
  return hasFailed(run) || run.completionState === 'TIMEOUT' ? 'failure' : 'success';
}
