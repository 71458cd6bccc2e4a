/** Tells GitHub about a run: by the status of its commit. */
import type { GithubNotice } from '#shared/model/notice.ts';
import type { NoticeDelivery } from '#shared/model/notice-delivery.ts';
import type { Run } from '#shared/model/run.ts';
import { Ended } from '#shared/notices/ended.ts';
import type { Services } from '#shared/services.ts';
import { shaOf } from './commit-of-run.ts';
import { writeStatus } from './commit-status.ts';
import { Github, type Network } from './github.ts';

interface Telling {
  readonly notice: GithubNotice;
  readonly delivery: NoticeDelivery;
  /** Absent for a test. */
  readonly run: Run | undefined;
  readonly token: string;
}

/** Returns what was written. Throws `Ended` with the outcome if something was not. */
export async function writeGithub(
  services: Services,
  network: Network,
  { notice, run, token }: Telling,
): Promise<string> {
  const github = new Github(notice, token, network);
  if (!run) return testGithub(github);
  const sha = shaOf(run);
  const status = sha !== undefined && notice.sendsStatus && (await writeStatus(services, github, { notice, run, sha }));
  if (sha === undefined) throw new Ended({ kind: 'pointless' }, 'The run names no commit');
  return status ? 'Commit status' : 'Unchanged';
}

/** A test must not touch a commit, so it reads the repository. */
async function testGithub(github: Github): Promise<string> {
  await github.call({ method: 'GET', path: '', does: 'repository' });
  return 'The token reaches the repository';
}
