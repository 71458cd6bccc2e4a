/** §5 Scans the table and the bucket after a person was erased: neither their name nor their address may remain. */
import { describe, expect, test, vi } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { requestErasure } from '#shared/organizations/erased-people.ts';
import { inviteMember } from '#shared/organizations/invitations.ts';
import { recordRun } from '#test/harness/recording.ts';
import { COMMIT, failed, passed } from '#test/harness/recording-messages.ts';
import { clock, deliverEvents, service } from '#test/harness/service.ts';
import { itemsOf } from '#test/harness/table-rows.ts';
import { contentOf, linesOf } from '#test/harness/stored-content.ts';
import { recordAll } from '../lifecycle/runs-of-every-kind.ts';

deliverEvents();

const DAY = 24 * 3_600_000;
const PAUSE = 21 * 60_000;
const { authorName: NAME, authorEmail: ADDRESS } = COMMIT;
const CART = 'cart.spec.ts > sums';

type Stage = Awaited<ReturnType<typeof service>>;

const onlyAuthor = { op: 'AND', cond: [{ type: 'git_authorEmail', op: 'eq', value: ADDRESS }, { type: 'git_authorName', op: 'any', value: [NAME, 'Kim'] }] };

/** Records runs of every kind by the same author, and everything else that names the author. */
async function record(here: Stage): Promise<void> {
  const { organizationId, projectId, services, api } = here;
  await api.post(`/webhooks?projectId=${projectId}`, { url: 'https://receiver.invalid/' });
  const rule = { name: 'Own tests', action: [{ op: 'tag', details: { tags: ['own'] } }], matcher: onlyAuthor };
  expect(await api.post(`/actions?projectId=${projectId}`, rule)).toMatchObject({ status: 201 });
  await recordAll(here);
  const suite = { retail: { tests: { [CART]: failed() } } };
  await recordRun(here, suite, { ciBuildId: 'by-kim', commit: { ...COMMIT, authorName: 'Kim', authorEmail: 'kim@example.com' } });
  await inviteMember(services, { organizationId, actor: OPERATOR, email: ADDRESS, role: 'guest' });
  clock.advance(2 * DAY);
  await here.runSchedule('mergeAnalytics');
  await recordRun(here, suite, { ciBuildId: 'after-the-merge' });
}

const erase = async (here: Stage, email = ADDRESS) => {
  const { organizationId, services } = here;
  const erasure = await requestErasure(services, { organizationId, actor: OPERATOR, email });
  expect(await here.runSchedule('erasePeople')).toMatchObject({ failed: 0, finished: true });
  console.log(Date.now(), (await itemsOf(here.environment, ({ pk }) => String(pk).startsWith('DUE#erasure'))));
  clock.advance(PAUSE);
  console.log(Date.now());
  expect(await here.runSchedule('erasePeople')).toMatchObject({ failed: 0, finished: true });
  return { name: `Erased person ${erasure.code.slice(0, 8)}`, address: `${erasure.code}@erased.invalid` };
};

/** What is stored of an organization and contains the name or the address of the author. */
async function tracesIn({ environment, organizationId }: Stage): Promise<string[]> {
  const lines = linesOf(await contentOf(environment)).filter((line) => line.includes(organizationId));
  return lines.filter((line) => line.toLowerCase().includes(ADDRESS) || line.includes(NAME));
}

const runsBy = async ({ api, projectId }: Stage, author: string): Promise<string[]> =>
  (await api.get(`/projects/${projectId}/runs?limit=50&authors[]=${encodeURIComponent(author)}`)).body.data.map(
    ({ runId }: { readonly runId: string }) => runId,
  );

describe('The erasure of a person', () => {
  test('leaves neither name nor address in any row or object, and changes nothing of another organization', async () => {
    const here = await service();
    vi.useRealTimers();
    const other = { ...here, ...(await service()) };
    await record(here);
    await recordRun(other, { retail: { tests: { [CART]: failed() } } });
    const before = await runsBy(here, ADDRESS);
    const ofOther = await tracesIn(other);
    expect(before.length).toBeGreaterThan(8);
    expect((await tracesIn(here)).length).toBeGreaterThan(30);
    const pseudonym = await erase(here);
    clock.advance(2 * DAY);
    await here.runSchedule('mergeAnalytics');
    expect((await tracesIn(here)).map((line) => line.slice(0, 2000))).toEqual([]);
    expect(await tracesIn(other)).toEqual(ofOther);
    expect(await runsBy(here, pseudonym.address)).toEqual(before);
    expect(await runsBy(here, ADDRESS)).toEqual([]);
  });
});
