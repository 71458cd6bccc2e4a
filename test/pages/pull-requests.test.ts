import { expect, test } from 'vitest';
import { compileRuns } from '#test/harness/analytics.ts';
import { onBranch } from '#test/harness/comparisons.ts';
import { batchInstance, upload } from '#test/harness/recording-batch.ts';
import { COMMIT, failed, flaky, passed, suiteGroup, type TestState } from '#test/harness/recording-messages.ts';
import { clock, service, type Tenant } from '#test/harness/service.ts';
import { signedIn } from '#test/harness/visitor.ts';

const SPEC = 'cart.spec.ts';

/**
 * Records a finished run of the pull request with the number `pull`, or of the default branch without `pull`. `tests`
 * maps the title of each test to its result.
 */
async function record(tenant: Tenant, ciBuildId: string, tests: Record<string, TestState>, pull?: number) {
  clock.advance(60_000);
  const named = Object.fromEntries(Object.entries(tests).map(([title, state]) => [`${SPEC} > ${title}`, state]));
  const htmlUrl = `https://github.com/example/shop/pull/${pull}`;
  const of =
    pull === undefined
      ? onBranch('main')
      : { commit: { ...COMMIT, branch: `change-${pull}`, ghaEventData: { htmlUrl, prTitle: `Change ${pull} <u>` } } };
  return upload(tenant, [suiteGroup('unit', Object.keys(named))], [batchInstance('unit', SPEC, named)], {
    ciBuildId,
    ...of,
  });
}

async function stage() {
  const here = await service();
  const guest = await signedIn(here, 'guest');
  const base = `/${here.organizationId}/${here.projectId}/pulls`;
  return { ...here, guest, base };
}

test('The page of a pull request lists the tests that the pull request broke or fixed, the tests that also fail on the base, and the flaky tests', async () => {
  const here = await stage();
  const { guest, base } = here;
  await record(here, 'main-1', { sums: passed(), taxes: failed(), rounds: failed(), ships: passed() });
  await record(here, 'pull-1', { sums: passed(), taxes: failed(), rounds: failed(), ships: passed() }, 7);
  await record(here, 'pull-2', { sums: failed(), taxes: passed(), rounds: failed(), ships: flaky() }, 7);
  const { text, html } = await guest.get(`${base}/7`);
  expect(text).toMatch(/New in this pull request1.*sums.*Still failing1.*rounds.*Flaky1.*ships.*Fixed1.*taxes/s);
  expect(text).toMatch(/Runs2 runs/);
  expect(html).toContain('href="https://github.com/example/shop/pull/7"');
  expect((await guest.get(base)).text).toContain('2 failed, 1 new');
  expect(html).not.toContain('<u>');
});

test('The page of a pull request without a base run says that there is no base run, and lists the failures', async () => {
  const here = await stage();
  await record(here, 'pull-1', { sums: failed() }, 8);
  const { text } = await here.guest.get(`${here.base}/8`);
  expect(text).toContain('main has no earlier complete run');
  expect(text).toMatch(/Failed1.*sums/s);
});

test('The list of pull requests shows each pull request once, sorted by its newest run, and can be searched by title', async () => {
  const here = await stage();
  for (const number of [1, 2, 1, 3])
    await record(here, `build of ${number} at ${Date.now()}`, { sums: passed() }, number);
  const titles = async (query = '') =>
    [...(await here.guest.get(here.base + query)).html.matchAll(/whole-link" href="[^"]+\/pulls\/(\d)"/g)].map(
      ([, id]) => id,
    );
  expect(await titles()).toEqual(['3', '1', '2']);
  expect(await titles('?search=change+2')).toEqual(['2']);
  expect(await titles('?limit=1')).toEqual(['3']);
});

test('The list of pull requests says when there are none, and the page of an unknown pull request returns 404', async () => {
  const { guest, base } = await stage();
  expect((await guest.get(base)).text).toContain('No pull requests yet');
  expect((await guest.get(`${base}/404`)).status).toBe(404);
});

test('The answer links each place only once, and never a section of its own page', async () => {
  const here = await stage();
  await record(here, 'main-1', { sums: passed(), rounds: passed() });
  await record(here, 'pull-1', { sums: failed(), rounds: passed() }, 9);
  const { html } = await here.guest.get(`${here.base}/9`);
  const [, answer = ''] = /<p class="answer">(.*?)<\/p>/s.exec(html) ?? [];
  const links = [...answer.matchAll(/<a href="([^"]+)">(.*?)<\/a>/gs)].map(([, href = '', text = '']) => ({
    href,
    text,
  }));
  expect(answer).toContain('is new');
  expect(links.map(({ text }) => text)).toEqual(['the run', '<b>sums</b>']);
});

test('A run of a pull request has one name on its page and in lists, which show the title of the pull request beside its number', async () => {
  const here = await stage();
  const { runId } = await record(here, 'pull-1', { sums: failed() }, 7);
  await compileRuns(here);
  const project = `/${here.organizationId}/${here.projectId}`;
  const name = COMMIT.message.split('\n', 1)[0];
  expect((await here.guest.get(`${project}/runs/${runId}`)).html).toMatch(new RegExp(`<h1[^>]*>.*${name}.*</h1>`, 's'));
  const list = await here.guest.get(`${project}/runs`);
  expect(list.html).toContain(`/runs/${runId}">${name}</a>`);
  expect(list.text).toContain('#7Change 7 <u>');
  expect((await here.guest.get(`${project}/search?q=pull-1`)).html).toContain(`/runs/${runId}">${name}</a>`);
});
