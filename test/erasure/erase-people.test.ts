/** §5 Scans the table and the bucket after a person was erased: neither their name nor their address may remain. */
import { describe, expect, test, vi } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { changeUser, createUser } from '#shared/directory/users.ts';
import { put } from '#shared/engine/table/writes.ts';
import { continueErasure, erasePeople } from '#shared/erasure/erase-people.ts';
import { accounts } from '#shared/model/organizations/account.ts';
import { history } from '#shared/model/results/history-row.ts';
import { requestErasure } from '#shared/organizations/erased-people.ts';
import { inviteMember } from '#shared/organizations/invitations.ts';
import { IS_DEEP } from '#test/harness/cases.ts';
import { runIdOf, runItem, storeRuns } from '#test/harness/history-runs.ts';
import { mortal } from '#test/harness/interrupted-table.ts';
import { recordRun } from '#test/harness/recording.ts';
import { batchInstance, upload } from '#test/harness/recording-batch.ts';
import { COMMIT, failed, passed, suiteGroup } from '#test/harness/recording-messages.ts';
import { clock, deliverEvents, service } from '#test/harness/service.ts';
import { contentOf, linesOf, restore } from '#test/harness/stored-content.ts';
import { itemsOf } from '#test/harness/table-rows.ts';
import { recordAll } from '../lifecycle/runs-of-every-kind.ts';

deliverEvents();

const DAY = 24 * 3_600_000;
const PAUSE = 81 * 60_000;
const TIME = { remainingMilliseconds: () => 60_000 };
const { authorName: NAME, authorEmail: ADDRESS } = COMMIT;
const CART = 'cart.spec.ts > sums';
const SUITE = { retail: { tests: { [CART]: failed() } } };
const KIM = { ...COMMIT, authorName: 'Kim', authorEmail: 'kim@example.com' };

type Stage = Awaited<ReturnType<typeof service>>;

const MATCHER = {
  op: 'AND',
  cond: [
    { type: 'git_authorEmail', op: 'eq', value: ADDRESS },
    { type: 'git_authorName', op: 'any', value: [NAME, 'Kim'] },
  ],
};

/** Everything but runs that names the author. */
async function nameEverywhere({ organizationId, projectId, services, api }: Stage): Promise<void> {
  await api.post(`/webhooks?projectId=${projectId}`, { url: 'https://receiver.invalid/' });
  const rule = { name: 'Own tests', action: [{ op: 'tag', details: { tags: ['own'] } }], matcher: MATCHER };
  expect(await api.post(`/actions?projectId=${projectId}`, rule)).toMatchObject({ status: 201 });
  await inviteMember(services, { organizationId, actor: OPERATOR, email: ADDRESS, role: 'guest' });
}

const startErasure = ({ organizationId, services }: Stage, more: { readonly names?: readonly string[] } = {}) =>
  requestErasure(services, { organizationId, actor: OPERATOR, email: ADDRESS, ...more });

const pseudonymOf = ({ code }: { readonly code: string }) => ({
  name: `Erased person ${code.slice(0, 8)}`,
  address: `${code}@erased.invalid`,
});

async function finish({ runSchedule }: Stage): Promise<void> {
  for (const pause of [1, PAUSE]) {
    clock.advance(pause);
    // It removes the summaries that were replaced.
    await runSchedule('mergeAnalytics');
    expect(await runSchedule('erasePeople')).toMatchObject({ failed: 0, finished: true });
  }
}

async function erase(here: Stage, more: { readonly names?: readonly string[] } = {}) {
  const erasure = await startErasure(here, more);
  await finish(here);
  return pseudonymOf(erasure);
}

/** What is stored of an organization and contains the name or the address of the author. */
async function tracesIn({ environment, organizationId }: Stage): Promise<string[]> {
  const lines = linesOf(await contentOf(environment)).filter((line) => line.includes(organizationId));
  return lines.filter((line) => /alex.?doe/i.test(line)).map((line) => line.slice(0, 1000));
}

/** The keys of the rows of runs and results, which an erasure neither adds nor removes. */
const resultsIn = async ({ environment }: Stage): Promise<string[]> =>
  (await itemsOf(environment, ({ pk }) => /^(RUN|INSTANCE|HISTORY|NOTABLE|FAILURES)#/.test(String(pk))))
    .map(({ pk, sk }) => `${pk} ${sk}`)
    .sort();

async function runsBy({ api, projectId }: Stage, author: string): Promise<string[]> {
  const answer = await api.get(`/projects/${projectId}/runs?limit=50&authors[]=${encodeURIComponent(author)}`);
  return answer.body.data.map(({ runId }: { readonly runId: string }) => runId);
}

const dayOf = (milliseconds: number): string => new Date(milliseconds).toISOString().slice(0, 10);

/** The totals of tests in the runs of an author. */
async function testsBy({ api, projectId }: Stage, author: string, range: string): Promise<object[]> {
  const answer = await api.get(`/tests/${projectId}?${range}&authors[]=${encodeURIComponent(author)}`);
  expect(answer).toMatchObject({ status: 200 });
  return answer.body.data.list;
}

describe('The erasure of a person', () => {
  test('leaves neither name nor address in any row or object, keeps filters by author, and changes nothing of another organization', async () => {
    const here = await service();
    vi.useRealTimers();
    const other = { ...here, ...(await service()) };
    await nameEverywhere(here);
    await recordAll(here);
    await recordRun(here, SUITE, { ciBuildId: 'by-kim', commit: KIM });
    await recordRun(other, SUITE);
    clock.advance(2 * DAY);
    await here.runSchedule('mergeAnalytics');
    await recordRun(here, SUITE, { ciBuildId: 'after-the-merge' });
    clock.advance(1000);
    // Compiles the run, whose facts then wait for the end of their span.
    await here.runSchedule('mergeAnalytics');
    const range = `date_start=${dayOf(Date.now() - 10 * DAY)}&date_end=${dayOf(Date.now() + DAY)}`;
    const before = { runs: await runsBy(here, ADDRESS), tests: await testsBy(here, ADDRESS, range) };
    const ofOther = (await tracesIn(other)).length;
    expect(before.runs.length).toBeGreaterThan(8);
    expect(before.tests.length).toBeGreaterThan(0);
    expect((await tracesIn(here)).length).toBeGreaterThan(30);
    const pseudonym = await erase(here);
    expect(await tracesIn(here)).toEqual([]);
    expect(await tracesIn(other)).toHaveLength(ofOther);
    expect(await runsBy(other, ADDRESS)).toHaveLength(1);
    expect(await runsBy(here, pseudonym.address)).toEqual(before.runs);
    expect(await runsBy(here, pseudonym.name)).toEqual(before.runs);
    expect(await testsBy(here, pseudonym.address, range)).toEqual(before.tests);
    expect(await runsBy(here, ADDRESS)).toEqual([]);
    expect(await runsBy(here, KIM.authorEmail)).toHaveLength(1);
    // The merges that follow build on what was replaced.
    clock.advance(30 * DAY);
    await here.runSchedule('mergeAnalytics');
    expect(await tracesIn(here)).toEqual([]);
    expect((await testsBy(here, pseudonym.address, range)).length).toBe(before.tests.length);
  });

  test('leaves nothing if it is interrupted after any write and repeated, and loses no result', async () => {
    const here = await service();
    vi.useRealTimers();
    await nameEverywhere(here);
    await recordRun(here, { retail: { tests: { [CART]: failed(), 'cart.spec.ts > rounds': passed() } } });
    await upload(
      here,
      [suiteGroup('retail', [CART])],
      [batchInstance('retail', 'cart.spec.ts', { [CART]: failed() })],
      {
        ciBuildId: 'uploaded',
      },
    );
    clock.advance(DAY);
    await here.runSchedule('mergeAnalytics');
    const foundRuns = async () => (await runsBy(here, pseudonymOf(erasure).address)).length;
    const erasure = await startErasure(here);
    clock.advance(1);
    const content = await contentOf(here.environment);
    const now = Date.now();
    const whole = mortal(here.services, Number.POSITIVE_INFINITY);
    await erasePeople(whole.services, TIME);
    const writes = whole.writes();
    expect(writes).toBeGreaterThan(25);
    const results = await resultsIn(here);
    const step = IS_DEEP ? 1 : Math.ceil(writes / 6);
    for (let after = 0; after < writes; after += step) {
      await restore(here.environment, content);
      clock.set(now);
      const dying = mortal(here.services, after);
      await erasePeople(dying.services, TIME).catch(() => undefined);
      await dying.settled();
      expect(dying.hasDied()).toBe(true);
      await erasePeople(here.services, TIME);
      clock.advance(PAUSE);
      await here.runSchedule('mergeAnalytics');
      await erasePeople(here.services, TIME);
      expect({ after, traces: await tracesIn(here) }).toEqual({ after, traces: [] });
      expect({ after, runs: await foundRuns() }).toEqual({ after, runs: 2 });
      expect({ after, results: await resultsIn(here) }).toEqual({ after, results });
    }
  });

  test('continues where the time of a call ended, over pages of runs and a run of hundreds of tests', async () => {
    const here = await service();
    vi.useRealTimers();
    const { organizationId, projectId, services } = here;
    const tests = Object.fromEntries(Array.from({ length: 300 }, (_, number) => [`big.spec.ts > ${number}`, passed()]));
    const suite = [suiteGroup('retail', Object.keys(tests))];
    await upload(here, suite, [batchInstance('retail', 'big.spec.ts', tests)], { ciBuildId: 'big' });
    const commit = { ...COMMIT, message: null, defaultBranch: null };
    const many = Array.from({ length: 60 }, (_, number) =>
      runItem({ organizationId, projectId }, { runId: runIdOf(number + 1), ciBuildId: `${number}`, commit }),
    );
    await storeRuns(services, many);
    const { code, startedAt } = await startErasure(here);
    const { address } = pseudonymOf({ code });
    const isUnderWay = async () =>
      (await itemsOf(here.environment, ({ pk }) => pk === `ERASED#${organizationId}`)).some((row) => row['search']);
    let calls = 0;
    for (; await isUnderWay(); calls += 1) {
      // Each call has time for two pages.
      let left = 2;
      const time = { remainingMilliseconds: () => (left-- > 0 ? 60_000 : 0) };
      await continueErasure(services, { organizationId, code, dueAt: startedAt }, time);
      expect(calls).toBeLessThan(40);
    }
    expect(calls).toBeGreaterThan(5);
    expect(await tracesIn(here)).toEqual([]);
    expect((await itemsOf(here.environment, (row) => row['l'] === address)).length).toBe(300);
  });

  test('gives new recordings with the address the same pseudonym, and names of commits without an address only if they were given', async () => {
    const here = await service();
    const other = { ...here, ...(await service()) };
    const { name, address } = await erase(here, { names: ['Ada Lovelace', ' Ada'] });
    const authorOf = async (stage: Stage, ciBuildId: string, commit: object) => {
      const { runId } = await recordRun(stage, SUITE, { ciBuildId, commit: { ...COMMIT, ...commit } });
      const { authorName, authorEmail } = (await stage.api.get(`/runs/${runId}`)).body.data.meta.commit;
      return [authorName, authorEmail];
    };
    expect(await authorOf(here, '1', {})).toEqual([name, address]);
    expect(await authorOf(here, '2', { authorEmail: ' ALEX.DOE@example.com' })).toEqual([name, address]);
    expect(await authorOf(here, '3', { authorName: 'Ada', authorEmail: null })).toEqual([name, null]);
    expect(await authorOf(here, '4', { authorName: null })).toEqual([null, address]);
    expect(await authorOf(here, '5', { authorName: 'Ada', authorEmail: 'ada@b.example' })).toEqual([
      'Ada',
      'ada@b.example',
    ]);
    expect(await authorOf(other, '6', {})).toEqual([NAME, ADDRESS]);
  });

  test('also replaces what a request that began before it writes after the first pass', async () => {
    const here = await service();
    vi.useRealTimers();
    const { runId } = await recordRun(here, SUITE);
    const [row] = await itemsOf(here.environment, ({ pk, l }) => String(pk).startsWith('HISTORY#') && l === ADDRESS);
    const stale = history.load(row ?? {});
    await startErasure(here);
    clock.advance(1);
    await here.runSchedule('erasePeople');
    await here.services.table.writeMany([put(history, stale)]);
    clock.advance(PAUSE);
    await here.runSchedule('erasePeople');
    expect(runId).not.toBe('');
    expect(await tracesIn(here)).toEqual([]);
  });

  test('also erases somebody whom the directory of the company has deactivated, and who then cannot come back', async () => {
    const here = await service();
    vi.useRealTimers();
    const { organizationId, services } = here;
    const actor = { kind: 'directory', organizationId, tokenId: 'token' } as const;
    const emails = [{ value: ADDRESS, type: 'work' }];
    const attributes = { userName: 'alex.doe', displayName: NAME, emails, active: true };
    const { entry } = await createUser(services, { actor }, attributes);
    await expect(startErasure(here)).rejects.toThrow('is still a member');
    await changeUser(services, { actor }, entry.entryId, (before) => ({ ...before, active: false }));
    await erase(here);
    expect(await tracesIn(here)).toEqual([]);
    expect(await services.table.get(accounts, entry, { consistent: true })).toMatchObject({
      managedBy: organizationId,
    });
  });

  test('is refused for a member and for an address that is none, and a repeated one changes nothing', async () => {
    const here = await service();
    const { organizationId, services } = here;
    const request = { organizationId, actor: OPERATOR };
    await expect(requestErasure(services, { ...request, email: 'no address' })).rejects.toMatchObject({
      statusCode: 400,
    });
    const [one, two] = await Promise.all([startErasure(here), startErasure(here)]);
    expect(one.code).toBe(two.code);
    const records = await itemsOf(
      here.environment,
      ({ pk, action }) => String(pk).startsWith('AUDIT#') && action === 'person erased',
    );
    expect(records.filter((record) => record['organizationId'] === organizationId)).toHaveLength(1);
  });
});
