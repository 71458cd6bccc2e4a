import { expect, test } from 'vitest';
import { put } from '#shared/engine/table/writes.ts';
import { announceFiles } from '#shared/ingest/show-file.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { deriveObjectName } from '#shared/model/results/artifact.ts';
import { failures, getRunFailuresSpan } from '#shared/model/results/failures.ts';
import { NEVER } from '#shared/model/runs/expiry.ts';
import type { Services } from '#shared/services.ts';
import { batch, onBranch, runOf, runWith } from '#test/harness/comparisons.ts';
import { claim, createRecord, startRun } from '#test/harness/recording.ts';
import {
  attempt,
  COMMIT,
  error,
  failed,
  flaky,
  passed,
  pending,
  skipped,
  suiteGroup,
  testIdOf,
} from '#test/harness/recording-messages.ts';
import { clock, service, type Tenant } from '#test/harness/service.ts';
import { signedIn } from '#test/harness/visitor.ts';

const named = (title: string): string => `cart.spec.ts > ${title}`;

async function stageWithGuest() {
  const stage = await service();
  const guest = await signedIn(stage, 'guest');
  const hrefOf = ({ runId }: { readonly runId: string }) => `/${stage.organizationId}/${stage.projectId}/runs/${runId}`;
  return { stage, guest, hrefOf };
}

const received = (value: number, expected: number) =>
  failingWith(`AssertionError: expected ${value} to be ${expected}\n\nExpected: ${expected}\nReceived: ${value}`);

const failingWith = (message: string) =>
  failed({
    attempts: [attempt('failed', { errors: [error(message)] }), attempt('failed', { errors: [error(message)] })],
  });

test('The card of a failure names the line of the error beside the spec file only if the error is in that file', async () => {
  const { stage, guest, hrefOf } = await stageWithGuest();
  const failedAt = (file: string, line: number) => {
    const message = `Error: failed in line ${line}`;
    const stack = `${message}\n    at run (/project/tests/${file}:${line}:7)`;
    const errors = [{ message, stack, snippet: '', location: { file: `/project/tests/${file}`, line, column: 7 } }];
    return failed({ attempts: [attempt('failed', { errors })] });
  };
  const run = await runOf(stage, 'build-1', {
    [named('own')]: failedAt('cart.spec.ts', 12),
    [named('shared')]: failedAt('helpers/sign-in.ts', 34),
  });
  const { text } = await guest.get(hrefOf(run));
  expect(text).toContain('cart.spec.ts:12');
  expect(text).toContain('sign-in.ts:34');
  expect(text).not.toContain('cart.spec.ts:34');
});

test('The page of a run compares the run with its base run, and lists the newly failing, still failing, flaky, fixed and not run tests above the spec files', async () => {
  const { stage, guest, hrefOf } = await stageWithGuest();
  const before = { [named('known')]: failed(), [named('repaired')]: failed(), [named('fresh')]: passed() };
  const base = await batch(stage, 'build-1', { ...before, [named('flips')]: passed(), [named('blocked')]: passed() });
  const run = await runOf(stage, 'build-2', {
    [named('known')]: failed(),
    [named('repaired')]: passed(),
    [named('fresh')]: failingWith('Error: 3\nmore'),
    [named('flips')]: flaky(),
    [named('blocked')]: skipped(),
  });
  const { status, text, links } = await guest.get(hrefOf(run));
  expect(status).toBe(200);
  expect(text).toMatch(/Compared with\s*failed Let traders see net prices\s*main · 1560994 · build-1/);
  expect(links).toContain(hrefOf(base));
  const inOrder = [
    'New in this run1 test',
    'fresh',
    'Still failing1 test',
    'known',
    'Failing on main since',
    'Flaky1 test',
    'flips',
    'Fixed1 test',
    'repaired',
    'Not run1 test',
    'blocked',
    'Spec files',
  ];
  const places = inOrder.map((part) => text.lastIndexOf(part));
  expect(places).toEqual(places.toSorted((one, other) => one - other));
  expect(places[0]).toBeGreaterThan(0);
  expect(text).not.toContain('3 more');
  const evidence = links.filter((link) => link.includes('/test?test_id=') || /\/tests\/[0-9a-f]{32}$/.test(link));
  // Each of the five tests has two links, and a strip of executions with two more. One test also links to its first
  // failure.
  expect(evidence).toHaveLength(20);
  for (const link of new Set(evidence)) expect((await guest.get(link)).status).toBe(200);
});

test('The page of a run without a base run says why it compares nothing, and lists the failures', async () => {
  const { stage, guest, hrefOf } = await stageWithGuest();
  const run = await batch(stage, 'build-1', { [named('sums')]: failed() }, 'feature');
  const { text } = await guest.get(hrefOf(run));
  expect(text).toContain('Nothing to compare with: the branch main has no earlier complete run with the same groups');
  expect(text).toContain('Failed1 test');
});

test('The page of a passed run says that nothing failed', async () => {
  const { stage, guest, hrefOf } = await stageWithGuest();
  const run = await batch(stage, 'build-1', { [named('sums')]: passed() });
  expect((await guest.get(hrefOf(run))).text).toContain('No failures');
});

test('The page of a run compares the run with the base run in `base_run_id`, and its links keep this parameter', async () => {
  const { stage, guest, hrefOf } = await stageWithGuest();
  const chosen = await batch(stage, 'chosen', { [named('sums')]: failed() }, 'feature');
  await batch(stage, 'default', { [named('sums')]: passed() });
  const run = await batch(stage, 'run', { [named('sums')]: failed(), [named('flips')]: flaky() });
  expect((await guest.get(hrefOf(run))).text).toContain('New in this run1 test');
  const { text, links } = await guest.get(`${hrefOf(run)}?base_run_id=${chosen.runId}`);
  expect(text).toContain('Still failing1 test');
  expect(links).toContain(`${hrefOf(run)}?base_run_id=${chosen.runId}&verdict=still_failing`);
  expect(links).toContain(hrefOf(run));
});

test('The page of a run that is compared with a newer one says so, and leads back to the latest earlier one', async () => {
  const { stage, guest, hrefOf } = await stageWithGuest();
  const run = await batch(stage, 'run', { [named('sums')]: failed() });
  clock.advance(60_000);
  const newer = await batch(stage, 'newer', { [named('sums')]: passed() });
  const { text } = await guest.get(`${hrefOf(run)}?base_run_id=${newer.runId}`);
  expect(text).toContain('It fails here, but not in the newer run of');
  expect(text).toMatch(/newer than this run\. “New” failures are those that it does not have/);
  expect(text).toContain('Compare with the latest earlier run of main with the same groups');
  expect(text).not.toContain('new since');
});

test('The page of a run shows the error of a wrong `base_run_id` beside its field, and compares the run with the default base run', async () => {
  const { stage, guest, hrefOf } = await stageWithGuest();
  await batch(stage, 'default', { [named('sums')]: failed() });
  const run = await batch(stage, 'run', { [named('sums')]: failed() });
  const open = await runOf(stage, 'open', { [named('sums')]: failed(), [named('waits')]: undefined });
  const refused = [
    ['nothing', 404, 'Run named by `base_run_id` not found'],
    [run.runId, 400, '`base_run_id` names this run'],
    [open.runId, 400, '`base_run_id` names a run that did not complete'],
  ] as const;
  for (const [id, status, message] of refused) {
    const shown = await guest.get(`${hrefOf(run)}?base_run_id=${id}`);
    expect(shown.status).toBe(status);
    expect(shown.text).toContain('Still failing1 test');
    const [, hint = ''] = /id="field-base-hint"[^>]*>([^<]*)/.exec(shown.html) ?? [];
    expect(hint).toContain(message);
    expect(shown.html).toContain(`value="${id}"`);
  }
});

test('A person compares a run with another one by choosing it from a list, or by its address, build or commit', async () => {
  const { stage, hrefOf } = await stageWithGuest();
  const other = await batch(stage, 'other build', { [named('sums')]: failed() }, 'feature');
  await runOf(stage, 'open', { [named('sums')]: failed(), [named('waits')]: undefined }, 'unfinished');
  await batch(stage, 'default', { [named('sums')]: passed() });
  clock.advance(3 * 24 * 60 * 60 * 1000);
  const guest = await signedIn(stage, 'guest');
  const run = await batch(stage, 'run', { [named('sums')]: failed() });
  const shown = await guest.get(hrefOf(run));
  expect(shown.text).toContain('3 days older than this run');
  const rule = 'The latest earlier complete run of main with the same groups.';
  expect(shown.text).toContain(rule);
  const list = await guest.get(shown.links.find((link) => link.includes('choose=base')) ?? '');
  expect(list.links).toContain(`${hrefOf(run)}?base_run_id=${other.runId}`);
  expect(list.text).not.toContain('unfinished');
  for (const text of [`https://rundown.example${hrefOf(other)}?verdict=new#x`, 'other build', other.runId]) {
    const compared = await guest.get(`${hrefOf(run)}?base=${encodeURIComponent(text)}`);
    expect([text, compared.status]).toEqual([text, 200]);
    expect(compared.text).toContain('Still failing1 test');
    expect(compared.text).not.toContain(rule);
    expect(compared.text).toContain('Compare with the latest earlier run of main with the same groups');
  }
  const byCommit = await guest.get(`${hrefOf(run)}?base=${COMMIT.sha.slice(0, 8)}`);
  expect(byCommit.text).toContain('Compared with');
  expect(byCommit.status).toBe(200);
  const unknown = await guest.get(`${hrefOf(run)}?base=nothing`);
  expect(unknown.status).toBe(404);
  expect(unknown.html).toContain('value="nothing"');
});

test('The page of a run of a part of the suite lists no failures of other spec files, and compares no durations', async () => {
  const { stage, guest, hrefOf } = await stageWithGuest();
  const files = ['a', 'b', 'c', 'd'].map((file) => `${file}.spec.ts > fails`);
  await runOf(stage, 'base', {
    ...Object.fromEntries(files.map((name) => [name, failed()])),
    [named('sums')]: failed(),
    [named('blocked')]: failed(),
  });
  const run = await runOf(stage, 'part', { [named('sums')]: failed(), [named('blocked')]: skipped() });
  const { text, html } = await guest.get(hrefOf(run));
  expect(text).toContain('4 tests that failed in the base run are in spec files that are not part of this run.');
  expect(text).toContain('Not run1 test');
  expect(html).toContain('<details class="panel" open>');
  expect(text).toContain('2 of the base run’s 6 tests ran');
  expect(text).not.toMatch(/faster|slower|as long as/);
});

test('The rows of runs and pull requests count the same new failures as the page of the run', async () => {
  const { stage, guest, hrefOf } = await stageWithGuest();
  const list = hrefOf({ runId: '' }).replace(/\/$/, '');
  await batch(stage, 'base', { [named('sums')]: failed(), [named('ships')]: passed(), [named('pays')]: passed() });
  const states = { [named('sums')]: failed(), [named('ships')]: failed(), [named('pays')]: failed() };
  const red = await batch(stage, 'red', states, 'feature');
  expect((await guest.get(hrefOf(red))).text).toContain('2 of them are new');
  const { text } = await guest.get(list);
  expect(text).toContain('3 failed, 2 new');
  // The base itself has no base.
  expect(text).toMatch(/1 failed(?!,)/);
  const again = await batch(stage, 'again', { [named('sums')]: failed() });
  expect((await guest.get(hrefOf(again))).text).toContain('None is new');
  expect((await guest.get(list)).text).toContain('1 failed, none new');
});

test('The list of runs says that a run took much longer than usual, compared with complete runs of as many tests only', async () => {
  const { stage, guest, hrefOf } = await stageWithGuest();
  const list = hrefOf({ runId: '' }).replace(/\/$/, '');
  const titles = ['sums', 'ships'];
  for (const build of ['one', 'two']) await recordTimed(stage, build, { seconds: 60, titles });
  await recordTimed(stage, 'part', { seconds: 1, titles: ['sums'] });
  await recordTimed(stage, 'early', { seconds: 180, titles });
  expect((await guest.get(list)).text).not.toContain('usual');
  await recordTimed(stage, 'slow', { seconds: 180, titles });
  expect((await guest.get(list)).text.match(/usual × \d\.\d/g)).toEqual(['usual × 3.0', 'usual × 3.0']);
});

interface TimedRun {
  readonly seconds: number;
  readonly titles: readonly string[];
}

async function recordTimed(stage: Tenant, ciBuildId: string, { seconds, titles }: TimedRun): Promise<void> {
  const names = titles.map(named);
  const run = await startRun(stage, [suiteGroup('retail', names)], { ciBuildId, group: 'retail', ...onBranch('main') });
  const { instanceId } = await claim(stage, run, 'cart.spec.ts');
  clock.advance(seconds * 1000);
  const claimed = { runId: run.runId, groupId: 'retail', spec: 'cart.spec.ts', instanceId };
  for (const name of names) await createRecord(stage, claimed, name, passed());
}

test('The page of a run has a card for each cause of its failures, with the number of tests and a link to all of them', async () => {
  const { stage, guest, hrefOf } = await stageWithGuest();
  const closed = Array.from({ length: 30 }, (_, index) => named(`item ${index}`));
  const wrong = [200, 200, 201].map((status, index) => [named(`status ${index}`), received(404, status)] as const);
  const run = await batch(stage, 'run', {
    ...Object.fromEntries(closed.map((name) => [name, failingWith('Error: the shop is closed')])),
    ...Object.fromEntries(wrong),
    [named('other')]: failingWith('Error: other'),
  });
  const { text, html, links } = await guest.get(hrefOf(run));
  expect(text).toContain('Failed34 tests, 3 causes');
  expect(html.split('<article').slice(1)).toHaveLength(3);
  expect(text).toMatch(/the shop is closed 30 tests.*received 404 3 tests.*failed:other/s);
  expect(text).toContain('Show all 30 tests with this cause');
  const link = links.find((one) => one.includes('cause=')) ?? '';
  // The first sentence of the page and of the context for agents names the cause of most failures.
  expect(text).toContain('34 failures, 3 causes: 30 times the shop is closed.');
  const context = await guest.get(`${hrefOf(run)}/context.md`);
  expect(context.html).toContain('34 failures, 3 causes: 30 times `the shop is closed`.');
  const all = await guest.get(link);
  expect(all.html.split('<h3>')).toHaveLength(11);
  expect(all.links.some((one) => one.includes('cause=') && one.includes('page=1'))).toBe(true);
  expect((await guest.get(`${hrefOf(run)}?verdict=failed&cause=unknown`)).text).not.toContain('the shop is closed 30');
});

test('The page of a run that an older version recorded groups the shown tests with the same error', async () => {
  const { stage, guest, hrefOf } = await stageWithGuest();
  const names = ['a', 'b', 'c'].map(named);
  const run = await batch(stage, 'run', Object.fromEntries(names.map((name) => [name, failingWith('Error: closed')])));
  const { organizationId, services } = stage;
  const rows = await services.table.queryAll(failures, getRunFailuresSpan({ organizationId, runId: run.runId }));
  await services.table.writeMany(rows.map((row) => put(failures, { ...row, traits: undefined })));
  const { text, html } = await guest.get(hrefOf(run));
  expect(html.split('<article').slice(1)).toHaveLength(1);
  expect(text).toContain('Failed3 tests');
  expect(text).not.toMatch(/\d causes?/);
});

test('The page of a run counts a test that fails in two groups as two tests', async () => {
  const { stage, guest, hrefOf } = await stageWithGuest();
  const groups = {
    retail: { tests: { [named('sums')]: failed() } },
    wholesale: { tests: { [named('sums')]: failed() } },
  };
  const { text } = await guest.get(hrefOf(await runWith(stage, 'both', groups)));
  expect(text).toContain('Failed2 tests');
});

test('The page of a run calls a test that was skipped on purpose "skipped", and a test that could not run "not run"', async () => {
  const { stage, guest, hrefOf } = await stageWithGuest();
  const run = await runOf(stage, 'build-1', {
    [named('blocked')]: skipped(),
    [named('later')]: pending(),
    [named('next week')]: pending(),
  });
  const { text } = await guest.get(hrefOf(run));
  expect(text).toContain('2 skipped, 1 not run');
});

test('The page of a run paginates the tests of one section, and shows only counts for the other sections', async () => {
  const { stage, guest, hrefOf } = await stageWithGuest();
  const titles = Array.from({ length: 12 }, (_, index) => `number ${index + 10}`);
  const run = await batch(stage, 'run', {
    ...Object.fromEntries(titles.map((title) => [named(title), failed()])),
    [named('flips')]: flaky(),
  });
  const first = await guest.get(`${hrefOf(run)}?verdict=failed`);
  const next = first.links.find((link) => link.includes('page=1')) ?? '';
  const second = await guest.get(next);
  const seen = titles.filter((title) => first.text.includes(title));
  const rest = titles.filter((title) => second.text.includes(title));
  expect([seen.length, rest.length]).toEqual([10, 2]);
  expect([...seen, ...rest].sort()).toEqual(titles);
  expect(second.text).toContain('Flaky 1');
  expect((await guest.get(`${hrefOf(run)}?page=1`)).status).toBe(400);
});

test('The page of a cancelled run counts the expected tests without a result, and its bar is full only as far as tests ran', async () => {
  const { stage, guest, hrefOf } = await stageWithGuest();
  const run = await runOf(stage, 'run', {
    [named('sums')]: passed(),
    [named('a')]: undefined,
    [named('b')]: undefined,
  });
  expect((await guest.get(hrefOf(run))).text).not.toContain('never reported');
  await stage.api.put(`/runs/${run.runId}/cancel`);
  const { text, html } = await guest.get(hrefOf(run));
  expect(text).toContain('2 expected tests never reported a result');
  // Neither the tiles nor the bar pretend that the run was complete.
  expect(text).toMatch(/Passed ?1 ?2 without a result/);
  const [, width] =
    /<svg class="proportion" role="img" aria-label="1 passed, 2 without a result">.*?class="passed"[^>]* width="(\d+)/s.exec(
      html,
    ) ?? [];
  expect(Number(width)).toBeCloseTo(33, 0);
});

test('The page of a run shows a maximum of ten tests across all sections, and links to the remaining ones', async () => {
  const { stage, guest, hrefOf } = await stageWithGuest();
  const several = (word: string) => Array.from({ length: 7 }, (_, index) => named(`${word} ${index}`));
  const failing = (name: string) => failingWith(`Error: ${'x'.repeat(Number(name.at(-1)) + 1)}`);
  await batch(stage, 'base', Object.fromEntries(several('fresh').map((name) => [name, passed()])));
  const run = await runOf(stage, 'run', {
    ...Object.fromEntries(several('fresh').map((name) => [name, failing(name)])),
    ...Object.fromEntries(several('flips').map((name) => [name, flaky()])),
    [named('blocked')]: skipped(),
  });
  const shown = await guest.get(hrefOf(run));
  expect(new Set(shown.text.match(/(?:fresh|flips) \d/g)).size).toBe(10);
  expect(shown.text).toContain('Show all 7 tests');
  expect(shown.text).toContain(
    'Not run1 test, skipped because of another failure, or failed before and did not run hereShow 1 test',
  );
  const flips = await guest.get(`${hrefOf(run)}?verdict=flaky`);
  // All seven have one cause, so their card leads to them.
  expect(shown.links.some((link) => link.startsWith(`${hrefOf(run)}?verdict=flaky&cause=`))).toBe(true);
  expect(flips.text.match(/flips \d/g)).toHaveLength(7);
});

test('The page of a run marks a failure as known flaky and offers to quarantine it if two recent executions of the test were flaky, but not if only one was', async () => {
  const { stage, guest, hrefOf } = await stageWithGuest();
  for (const build of ['first', 'second'])
    await batch(stage, build, { [named('flips')]: flaky(), [named('once')]: build === 'first' ? flaky() : passed() });
  const run = await batch(stage, 'run', { [named('flips')]: failed(), [named('once')]: failingWith('Error: other') });
  const { text } = await guest.get(hrefOf(run));
  expect(text.split('known flaky')).toHaveLength(2);
  expect(text).toMatch(/known flaky\s*2 flaky executions in the 14 days before, on all branches, the last/);
  const { links } = await (await signedIn(stage, 'actionsAdmin')).get(hrefOf(run));
  expect(links.filter((link) => link.includes('/actions/new?'))).toHaveLength(1);
});

test('The page of a run links to the last trace of a shown test, even if the run has more traces than the page lists', async () => {
  const { stage, guest, hrefOf } = await stageWithGuest();
  const { services, organizationId } = stage;
  const run = await batch(stage, 'run', { [named('traced')]: failed(), [named('bare')]: failingWith('Error: other') });
  const instanceId = run.instances['retail cart.spec.ts'] ?? '';
  const traced = { organizationId, instanceId, testId: testIdOf('retail', named('traced')) };
  const links = async () => (await guest.get(hrefOf(run))).links.filter((link) => link.includes('trace-viewer'));
  expect(await links()).toEqual([]);
  const first = await addTrace(services, traced);
  expect(await links()).toEqual([expect.stringContaining(first)]);
  for (let other = 0; other < MODEL_LIMITS.shownTraces; other += 1)
    await addTrace(services, { organizationId, instanceId, testId: `other ${other}` });
  const retried = await addTrace(services, { ...traced, attempt: 1 });
  expect(await links()).toEqual([expect.stringContaining(retried)]);
});

/** Adds an uploaded trace to an attempt of a test, by default the first. Returns the name of its object. */
async function addTrace(
  services: Services,
  {
    attempt = 0,
    ...of
  }: {
    readonly organizationId: string;
    readonly instanceId: string;
    readonly testId: string;
    readonly attempt?: number;
  },
): Promise<string> {
  const own = { artifactId: `${of.testId} ${attempt}`, testId: of.testId, attempt, expiry: NEVER };
  const file = { ...of, ...own, type: 'trace', name: 'trace', fileName: 'trace.zip', createdAt: 0 } as const;
  const trace = { ...file, objectName: deriveObjectName(own), contentType: 'application/zip', bytes: 9 };
  await announceFiles(services, [trace]);
  return trace.objectName;
}

test('All tests of a run are found by words in any order, by outcome and by group, and are shown page by page', async () => {
  const { stage, guest, hrefOf } = await stageWithGuest();
  const many = Array.from({ length: 60 }, (_, index) => `many.spec.ts > ship ${index}`);
  const run = await runOf(stage, 'run', {
    [named('pays with a card')]: failed(),
    [named('pays later')]: flaky(),
    ['shop.spec.ts > waits']: pending(),
    ...Object.fromEntries(many.map((name) => [name, passed()])),
  });
  const tests = `${hrefOf(run)}/tests`;
  const titlesAt = async (href: string) => {
    const { html } = await guest.get(href);
    return [...html.matchAll(/<a class="test-name"[^>]*>(?:<span[^>]*>[^<]*<\/span>)?([^<]*)/g)].map(
      ([, title]) => title,
    );
  };
  expect(await titlesAt(`${tests}?q=${encodeURIComponent('card pays')}`)).toEqual(['pays with a card']);
  expect(await titlesAt(`${tests}?q=${encodeURIComponent('pays -card cart.spec')}`)).toEqual(['pays later']);
  expect(await titlesAt(`${tests}?outcome=failed`)).toEqual(['pays with a card']);
  expect(await titlesAt(`${tests}?outcome=flaky`)).toEqual(['pays later']);
  expect(await titlesAt(`${tests}?outcome=skipped`)).toEqual(['waits']);
  expect(await titlesAt(`${tests}?outcome=not_run`)).toEqual([]);
  expect(await titlesAt(`${tests}?group=other`)).toEqual([]);
  // Failures come first, and then flaky tests.
  const first = await titlesAt(tests);
  expect(first.slice(0, 2)).toEqual(['pays with a card', 'pays later']);
  const { links, text } = await guest.get(tests);
  expect(text).toMatch(/All 63 ?Failed 1 ?Flaky 1 ?Passed 60 ?Skipped 1/);
  const href = links.find((link) => link.includes('from=')) ?? '';
  const second = await titlesAt(href);
  // A filter leads to its own first page.
  expect((await guest.get(href)).links).toContain(`${tests}?outcome=passed`);
  expect([first.length, second.length]).toEqual([50, 13]);
  expect(new Set([...first, ...second]).size).toBe(63);
  // The tiles of the run lead to these lists.
  expect((await guest.get(hrefOf(run))).links).toContain(`${tests}?outcome=failed`);
});

test('The page of a run shows 50 of its spec files, and all of them on request', async () => {
  const { stage, guest, hrefOf } = await stageWithGuest();
  const names = Array.from({ length: 53 }, (_, index) => `${index}.spec.ts > a`);
  const run = await batch(stage, 'run', Object.fromEntries(names.map((name) => [name, passed()])));
  const few = await guest.get(hrefOf(run));
  expect(few.text).toContain('Show 3 more spec files');
  const count = (html: string) => html.split('<th scope="row">').length - 1;
  expect(count(few.html)).toBe(50);
  const all = await guest.get(few.links.find((link) => link.includes('files=all')) ?? '');
  expect(count(all.html)).toBe(53);
});
