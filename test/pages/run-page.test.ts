import { expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { createProject } from '#shared/organizations/create-project.ts';
import { ERROR, FAILING, failingRun, SPEC } from '#test/harness/failing-run.ts';
import {
  dataOf,
  liveGroup,
  liveInstances,
  recordLive,
  sendBatch,
  sendEnd,
  sendStart,
  startBody,
} from '#test/harness/live-recording.ts';
import { createRecord, recordRun } from '#test/harness/recording.ts';
import { batchInstance, upload } from '#test/harness/recording-batch.ts';
import {
  attempt,
  COMMIT,
  error,
  failed,
  flaky,
  passed,
  suiteGroup,
  testIdOf,
} from '#test/harness/recording-messages.ts';
import { service } from '#test/harness/service.ts';
import { signedIn, type Visitor } from '#test/harness/visitor.ts';
import { imported, junit } from '#test/imports/reports.ts';
import { claimedRun, DONE } from '#test/recording/operations.ts';

const linkWith = async (visitor: Visitor, path: string, part: string): Promise<string> => {
  const { links } = await visitor.get(path);
  const [found] = links.filter((link) => link.includes(part));
  if (found === undefined) throw new Error(`${path} has no link with ${part}, only ${links.join(' ')}`);
  return found;
};

const seenByGuest = async () => {
  const stage = await failingRun();
  return { ...stage, guest: await signedIn(stage, 'guest') };
};
let shared: ReturnType<typeof seenByGuest> | undefined;
/** The run that all read-only tests share. */
const sharedRun = () => (shared ??= seenByGuest());

test('A person with one organization gets from the home page to the error message of a failed test in two clicks', async () => {
  const { guest, ...stage } = await sharedRun();
  const home = (await guest.get('/')).headers.get('location') ?? '';
  const run = await linkWith(guest, home, `/runs/${stage.runId}`);
  const failure = await linkWith(guest, run, '/test?test_id=');
  const shown = await guest.get(failure);
  // The way from the home page to the organization is a redirect, so it needs no click.
  expect(shown.text).toContain('expected 2, received 3');
});

test('The page of a run shows its failures before its spec files, with the first lines of their errors', async () => {
  const { guest, ...stage } = await sharedRun();
  const { text, status } = await guest.get(`/${stage.organizationId}/${stage.projectId}/runs/${stage.runId}`);
  expect(status).toBe(200);
  const [title] = FAILING.split(' > ').slice(-1);
  expect(text.indexOf(title ?? '')).toBeGreaterThan(0);
  expect(text.indexOf(title ?? '')).toBeLessThan(text.indexOf('Spec files'));
  expect(text).toContain(String(ERROR.message).split('\n', 1)[0]?.replace('Error: ', ''));
  expect(text).toContain(SPEC);
});

test('The pages of a test show its group and the commits of its executions', async () => {
  const { guest, ...stage } = await sharedRun();
  const run = `/${stage.organizationId}/${stage.projectId}/runs/${stage.runId}`;
  const failure = await guest.get(await linkWith(guest, run, '/test?test_id='));
  const sha = COMMIT.sha.slice(0, 7);
  for (const part of [SPEC, 'Groupretail', 'Branchmain', `Commit${sha}`]) expect(failure.text).toContain(part);
  const history = failure.links.find((link) => link.includes('/tests/')) ?? '';
  expect((await guest.get(history)).text).toContain(`main ${sha} Let traders see net prices · Alex Doe · retail`);
});

test('A run cannot be opened at the URL of another or an unknown project', async () => {
  const stage = await failingRun();
  const admin = await signedIn(stage, 'admin');
  const other = await createProject(stage.services, { ...stage, name: 'Other', actor: OPERATOR });
  for (const projectId of [other.projectId, 'unknown']) {
    const { status } = await admin.get(`/${stage.organizationId}/${projectId}/runs/${stage.runId}`);
    expect(status, projectId).toBe(404);
  }
});

test('The page of a run in progress counts finished tests, and is no longer polled when the run has ended', async () => {
  const stage = await service();
  const claimed = await claimedRun(stage);
  const guest = await signedIn(stage, 'guest');
  const page = `/${stage.organizationId}/${stage.projectId}/runs/${claimed.runId}`;
  expect((await guest.get(page)).html).toContain(`data-live="${page}/live"`);
  await createRecord(stage, claimed, DONE, passed());
  const { text } = await guest.get(page);
  expect(text).toContain('1 of 4 tests finished, in 0 of 2 spec files');
  expect(text).toMatch(/Finished\s*25 %/);
  await stage.api.put(`/runs/${claimed.runId}/cancel`);
  expect((await guest.get(page)).html).not.toContain('data-live');
});

test('The page of a run that has failures while it is in progress says that it is running, in its title too', async () => {
  const stage = await service();
  const claimed = await claimedRun(stage);
  const guest = await signedIn(stage, 'guest');
  const page = `/${stage.organizationId}/${stage.projectId}/runs/${claimed.runId}`;
  await createRecord(stage, claimed, DONE, failed());
  const { html, text } = await guest.get(page);
  expect(text).toContain('failing:');
  expect(html).toContain('<span>Running</span>');
  expect(html).toMatch(/<title>✕ failing, running ·/);
  await stage.api.put(`/runs/${claimed.runId}/cancel`);
  const ended = await guest.get(page);
  expect(ended.html).not.toContain('<span>Running</span>');
  expect(ended.html).not.toMatch(/<title>[^<]*running/);
});

test('The page and the list of runs show which share of a run has finished only if its tests were announced, and otherwise how many spec files have', async () => {
  const stage = await service();
  const guest = await signedIn(stage, 'guest');
  const runs = `/${stage.organizationId}/${stage.projectId}/runs`;
  let builds = 0;
  const shown = async (machines: readonly { readonly tests?: readonly string[]; readonly specFiles?: number }[]) => {
    builds += 1;
    const ciBuildId = `build-${builds}`;
    let runId = '';
    for (const [index, { tests = [], ...more }] of machines.entries()) {
      const machineId = `m${index}`;
      const group = liveGroup('unit', tests);
      ({ runId } = await dataOf(sendStart(stage, startBody([group], { ciBuildId, machineId, ...more }))));
      const instances = liveInstances('unit', { [`${index}.test.ts > sums`]: passed() });
      await dataOf(sendBatch(stage, runId, { machineId, sequence: 0, instances }));
    }
    const { text, html } = await guest.get(`${runs}/${runId}`);
    const row = (await guest.get(runs)).html.split('<li>').find((item) => item.includes(runId)) ?? '';
    const head = html.slice(html.indexOf('id="head"'), html.indexOf('</section>', html.indexOf('id="head"')));
    expect(row.includes('<svg class="proportion"')).toBe(head.includes('<svg class="proportion"'));
    return { text, hasBar: head.includes('<svg class="proportion"'), hasShare: /\d %/.test(head) };
  };
  const open = { hasBar: false, hasShare: false };
  expect(await shown([{ tests: ['0.test.ts > sums', '0.test.ts > refuses'] }])).toEqual({
    text: expect.stringContaining('1 of 2 tests finished, in 0 of 1 spec file.'),
    hasBar: true,
    hasShare: true,
  });
  expect(await shown([{ specFiles: 4 }, { specFiles: 2 }])).toEqual({
    ...open,
    text: expect.stringContaining('2 tests finished so far. 2 of 6 spec files are complete.'),
  });
  expect(await shown([{ specFiles: 4 }, {}])).toEqual({
    ...open,
    text: expect.stringContaining('2 tests finished so far. 2 spec files are complete.'),
  });
  expect(await shown([{ tests: ['0.test.ts > sums'] }, { specFiles: 4 }])).toEqual({
    ...open,
    text: expect.stringContaining('2 tests finished so far. 2 spec files are complete.'),
  });
});

test('A Member can cancel and delete a run, and a second cancellation is refused with 422', async () => {
  const stage = await service();
  const claimed = await claimedRun(stage);
  const member = await signedIn(stage, 'member');
  const run = `/${stage.organizationId}/${stage.projectId}/runs/${claimed.runId}`;
  expect((await member.get(run)).text).toContain('Cancel this run');
  const question = (await member.get(`${run}/cancel`)).text;
  for (const part of ['of main', '1 machine has recorded it', 'This cannot be undone'])
    expect(question).toContain(part);
  const cancelled = await member.post(`${run}/cancel`);
  expect([cancelled.status, cancelled.headers.get('location')]).toEqual([303, run]);
  expect((await member.get(run)).text).toContain('Cancelled by Alex Doe on');
  expect((await member.get(`${run}/cancel`)).text).toContain('there is nothing to cancel');
  const again = await member.post(`${run}/cancel`);
  expect(again.status).toBe(422);
  expect((await member.get(`${run}/delete`)).text).toContain('This cannot be undone');
  expect((await member.post(`${run}/delete`)).status).toBe(303);
  expect((await member.get(run)).status).toBe(404);
});

test('Before a run is cancelled, the page says what its machines have recorded and whether their tests will stop, and afterwards it still shows the machine', async () => {
  const stage = await service();
  const member = await signedIn(stage, 'member');
  const begin = async (ciBuildId: string, more: object) => {
    const start = startBody([liveGroup('unit', [])], { ciBuildId, ...more });
    const { runId } = await dataOf(sendStart(stage, start));
    return { runId, run: `/${stage.organizationId}/${stage.projectId}/runs/${runId}` };
  };
  const older = await begin('older', {});
  expect((await member.get(`${older.run}/cancel`)).text).toMatch(
    /1 machine has recorded it for [^,]+, and no spec file is complete yet\. Its reporter cannot stop the tests, so end the job in your CI, too\./,
  );
  const { runId, run } = await begin('newer', { specFiles: 6, stopsIfCancelled: true });
  expect((await member.get(`${run}/cancel`)).text).toMatch(
    /1 machine has recorded it for [^,]+, and 0 of 6 spec files are complete\. Its tests stop within about a minute\./,
  );
  const instances = liveInstances('unit', { 'a.test.ts > sums': passed() });
  await dataOf(sendBatch(stage, runId, { machineId: 'm1', sequence: 0, instances }));
  expect((await member.get(`${run}/cancel`)).text).toContain('and 1 of 6 spec files is complete.');
  expect((await member.post(`${run}/cancel`)).status).toBe(303);
  const { text } = await member.get(run);
  for (const part of ['until it was cancelled', 'Machines', 'm1']) expect(text).toContain(part);
});

test('The page of a run leads to the setting of the default branch if no run of the project is on it', async () => {
  const stage = await service();
  const guest = await signedIn(stage, 'guest');
  const pages: string[] = [];
  for (const branch of ['master', 'master', 'main']) {
    const commit = { ...COMMIT, branch };
    const runId = await recordLive(stage, { 'a.test.ts > sums': passed() }, { ciBuildId: `b${pages.length}`, commit });
    pages.push(`/${stage.organizationId}/${stage.projectId}/runs/${runId}`);
    const { text, links } = await guest.get(pages[0] ?? '');
    const isUnused = branch === 'master';
    expect(text.includes('No run of this project is on its default branch main')).toBe(isUnused);
    if (isUnused) expect(links).toContain(`/${stage.organizationId}/${stage.projectId}/settings`);
  }
});

test('The list of runs explains how to record runs if there are none, and says so if no run matches the filters', async () => {
  const stage = await service();
  const guest = await signedIn(stage, 'guest');
  const runs = `/${stage.organizationId}/${stage.projectId}/runs`;
  expect((await guest.get(runs)).text).toContain(`CURRENTS_PROJECT_ID=${stage.projectId}`);
  await recordRun(stage, { retail: { tests: { [`${SPEC} > a`]: passed() } } });
  expect((await guest.get(runs)).text).toContain('passed');
  const filtered = await guest.get(`${runs}?branches[]=nope&search=`);
  expect(filtered.text).toContain('No runs match these filters');
  expect((await guest.get(`${runs}?limit=999`)).status).toBe(400);
});

test('The list of runs shows 25 runs with their tags, several branches and days to choose from, and no made-up build id', async () => {
  const stage = await service();
  const guest = await signedIn(stage, 'guest');
  const runs = `/${stage.organizationId}/${stage.projectId}/runs`;
  const local = `local-${crypto.randomUUID()}`;
  const commit = { ...COMMIT, message: null };
  const send = (ciBuildId: string, branch: string) =>
    upload(stage, [suiteGroup('unit', [`${SPEC} > a`])], [batchInstance('unit', SPEC, { [`${SPEC} > a`]: passed() })], {
      ciBuildId,
      tags: ['nightly'],
      commit: { ...commit, branch },
    });
  await send(local, 'feature/one');
  await send('pipeline-of-the-whole-shop-4711 (attempt 2)', 'main');
  const { html, text } = await guest.get(runs);
  for (const part of ['Local run of feature/one', 'nightly', 'pipeline…shop-4711', 'attempt 2'])
    expect(text).toContain(part);
  expect(text).not.toContain(local);
  const dates = 'date_start=2026-11-02T00:00:00.000Z&date_end=2026-11-04';
  const chosen = await guest.get(`${runs}?branches[]=main&branches[]=feature/one&${dates}`);
  expect(chosen.html.match(/<input[^>]*name="branches\[\]"[^>]*checked/g)).toHaveLength(2);
  expect(chosen.html).toMatch(/<input[^>]*name="date_start"[^>]*value="2026-11-02"/);
  expect(chosen.text).toContain('From 2 Nov 2026');
  expect(chosen.text).toContain('Until 3 Nov 2026');
  expect(html).toContain('type="date"');
  for (let build = 0; build < 24; build += 1) await send(`build-${build}`, 'main');
  expect((await guest.get(runs)).html.match(/class="run-time/g)).toHaveLength(25);
});

test('The page of a flaky test says that the test is flaky, and shows the failed attempt first', async () => {
  const stage = await service();
  const { runId } = await recordRun(stage, { retail: { tests: { 'cart.spec.ts > sums': flaky() } } });
  const guest = await signedIn(stage, 'guest');
  const run = `/${stage.organizationId}/${stage.projectId}/runs/${runId}`;
  const { text } = await guest.get(await linkWith(guest, run, '/test?test_id='));
  expect(text).toMatch(/flaky:\s*sums/);
  expect(text).toContain('attempt 1 of 2');
  expect(text).toMatch(/failed\s*Attempt 1\s*passed\s*Attempt 2/);
});

test('The page of a test with many attempts leads to each one by its number, and says which one failed differently, and how', async () => {
  const stage = await service();
  const messages = [
    'Error: no mail',
    'Error: no mail',
    'Error: a mail without a total',
    'Error: no mail',
    'Error: no mail',
  ];
  const attempts = messages.map((message, index) => attempt('failed', { attempt: index, errors: [error(message)] }));
  const tests = { 'cart.spec.ts > sums': failed({ attempts }), 'cart.spec.ts > adds': failed() };
  const { runId } = await recordRun(stage, { retail: { tests } });
  const guest = await signedIn(stage, 'guest');
  const run = await guest.get(`/${stage.organizationId}/${stage.projectId}/runs/${runId}`);
  const ofTest = run.links.find((link) => link.includes(testIdOf('retail', 'cart.spec.ts > sums'))) ?? '';
  const { text, links } = await guest.get(ofTest);
  expect(text).toMatch(/failed\s*Attempt 1\s*failed\s*Attempt 2\s*failed\s*Attempt 3differs\s*failed\s*Attempt 4/);
  expect(text).toMatch(/Attempt 3 failed differently: .*a mail without a total/);
  const third = await guest.get(links.find((link) => link.endsWith('attempt=2')) ?? '');
  expect(third.text).toContain('attempt 3 of 5, 100 ms, this error in 1 of 5 failed attempts');
  expect(third.text).not.toContain('failed differently');
  const other = run.links.find((link) => link.includes(testIdOf('retail', 'cart.spec.ts > adds'))) ?? '';
  expect((await guest.get(other)).text).not.toMatch(/differ/);
});

test('The page and the failure context of a run show each error outside tests once, with the number of machines and without secrets', async () => {
  const stage = await service();
  const names = ['sums.spec.ts > adds'];
  const { runId } = await dataOf(sendStart(stage, startBody([liveGroup('retail', names)])));
  await dataOf(sendStart(stage, startBody([liveGroup('retail', names)], { machineId: 'm2' })));
  const batch = {
    machineId: 'm1',
    sequence: 0,
    instances: liveInstances('retail', { 'sums.spec.ts > adds': passed() }),
  };
  await dataOf(sendBatch(stage, runId, batch));
  const message = 'Error: cannot load <tax.spec.ts>, token=glpat-Ab3dEf5hIj7kLm9nOp1q';
  await dataOf(sendEnd(stage, runId, { machineId: 'm1', machines: 2, batches: 1, errors: [message, 'Error: late'] }));
  await dataOf(sendEnd(stage, runId, { machineId: 'm2', machines: 2, batches: 0, errors: [message] }));

  const guest = await signedIn(stage, 'guest');
  const { text, html } = await guest.get(`/${stage.organizationId}/${stage.projectId}/runs/${runId}`);
  expect(text).toMatch(/Errors outside tests\s*2\s*On 2 machines\s*Error: cannot load <tax\.spec\.ts>/);
  expect(text).toContain('Error: late');
  expect(text).toContain('No failed tests');
  const context = await stage.api.get(`/context?run_id=${runId}`);
  expect(context.body.data.errorsOutsideTests).toEqual([
    { message: expect.stringContaining('cannot load <tax.spec.ts>'), machines: 2 },
    { message: 'Error: late', machines: 1 },
  ]);
  const markdown = (await stage.api.get(`/context?run_id=${runId}&format=md`)).body;
  expect(markdown).toContain('Errors Outside Tests');
  for (const shown of [html, JSON.stringify(context.body), markdown])
    expect(shown).not.toContain('glpat-Ab3dEf5hIj7kLm9nOp1q');
});

test('The page of a run whose job failed without a failed test or an error says so, and refers to the log of the CI job', async () => {
  const stage = await service();
  const { runId } = await dataOf(sendStart(stage, startBody([liveGroup('retail', ['sums.spec.ts > adds'])])));
  const batch = {
    machineId: 'm1',
    sequence: 0,
    instances: liveInstances('retail', { 'sums.spec.ts > adds': passed() }),
  };
  await dataOf(sendBatch(stage, runId, batch));
  await dataOf(sendEnd(stage, runId, { machineId: 'm1', batches: 1, failed: true }));
  const guest = await signedIn(stage, 'guest');
  const { text } = await guest.get(`/${stage.organizationId}/${stage.projectId}/runs/${runId}`);
  expect(text).toContain(
    'The job failed for a reason other than its tests, and did not say which. See the log of the CI job',
  );
});

test('The page of a run tells apart the rows of a spec file that several jobs reported', async () => {
  const stage = await service();
  const guest = await signedIn(stage, 'guest');
  await imported(stage, junit({ 'cart.test.ts': { sums: 'failed' } }), 'ciBuildId=matrix');
  const { runId } = await imported(
    stage,
    junit({ 'cart.test.ts': { sums: 'passed' }, 'pay.test.ts': { pays: 'passed' } }),
    'ciBuildId=matrix',
  );
  const { text } = await guest.get(`/${stage.organizationId}/${stage.projectId}/runs/${runId}`);
  const table = text.slice(text.indexOf('Spec files'));
  const rows = table.match(/(cart|pay)\.test\.ts( · source \d of \d)?/g);
  // Both jobs began at the same time, so either may be the first.
  expect(rows?.toSorted()).toEqual(['cart.test.ts · source 1 of 2', 'cart.test.ts · source 2 of 2', 'pay.test.ts']);
});
