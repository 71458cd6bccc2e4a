/** Records runs of pull requests. */
import { startRun } from '#test/harness/recording.ts';
import { COMMIT, suiteGroup } from '#test/harness/recording-messages.ts';
import { clock, service, type Tenant } from '#test/harness/service.ts';

export const SUITE = [suiteGroup('retail', ['tax.spec.ts > rounds'])];

let builds = 0;

/** Starts a run of a pull request, one second after the previous run. */
export async function startPullRequestRun(
  tenant: Tenant,
  number: number,
  more: { commit?: object; tags?: string[] } = {},
) {
  clock.advance(1000);
  builds += 1;
  const ghaEventData = {
    htmlUrl: `https://git.example.com/shop/checkout/pull/${number}`,
    prTitle: `Change ${number}, build ${builds}`,
  };
  const commit = { ...COMMIT, ghaEventData, ...more.commit };
  const { runId } = await startRun(tenant, SUITE, { ciBuildId: `build ${builds}`, ...more, commit });
  return { runId, title: ghaEventData.prTitle };
}

/** Starts ten runs of six pull requests, for tests that read page after page. */
export async function recordWalked() {
  const stage = await service();
  for (const number of [1, 2, 3, 1, 4, 2, 5, 5, 1, 6]) await startPullRequestRun(stage, number);
  return stage;
}

/** Starts runs of two pull requests that differ in branch, author and tags, for tests of filters. */
export async function recordSelected() {
  const stage = await service();
  await startPullRequestRun(stage, 7, { tags: ['nightly'] });
  await startPullRequestRun(stage, 7);
  const commit = { branch: 'feat/tax', authorEmail: 'sam@second.example.com' };
  await startPullRequestRun(stage, 8, { commit, tags: ['nightly'] });
  return stage;
}
