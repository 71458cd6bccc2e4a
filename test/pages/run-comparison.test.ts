import { expect, test } from 'vitest';
import * as z from 'zod';
import { onBranch, runOf } from '#test/harness/comparisons.ts';
import { batchInstance, upload } from '#test/harness/recording-batch.ts';
import { attempt, error, failed, flaky, passed, skipped, suiteGroup } from '#test/harness/recording-messages.ts';
import { clock, logLines, service } from '#test/harness/service.ts';
import { signedIn } from '#test/harness/visitor.ts';

const named = (title: string): string => `cart.spec.ts > ${title}`;

async function stageWithGuest() {
  const stage = await service();
  const guest = await signedIn(stage, 'guest');
  const hrefOf = ({ runId }: { readonly runId: string }) => `/${stage.organizationId}/${stage.projectId}/runs/${runId}`;
  return { stage, guest, hrefOf };
}

const failingWith = (message: string) =>
  failed({
    attempts: [attempt('failed', { errors: [error(message)] }), attempt('failed', { errors: [error(message)] })],
  });

test('The page of a run opens with new, known and fixed failures against its base, before the spec files', async () => {
  const { stage, guest, hrefOf } = await stageWithGuest();
  const before = { [named('known')]: failed(), [named('repaired')]: failed(), [named('fresh')]: passed() };
  const base = await runOf(stage, 'build-1', { ...before, [named('flips')]: passed(), [named('blocked')]: passed() });
  const run = await runOf(stage, 'build-2', {
    ...{ [named('known')]: failed(), [named('repaired')]: passed(), [named('fresh')]: failingWith('Error: 3\nmore') },
    ...{ [named('flips')]: flaky(), [named('blocked')]: skipped() },
  });
  const { status, text, links } = await guest.get(hrefOf(run));
  expect(status).toBe(200);
  expect(text).toContain('Compared with Let traders see net prices ✕ failed main · 1560994 · build-1');
  expect(links).toContain(hrefOf(base));
  const inOrder = [
    ...['New failures (1 test)', 'fresh', 'Error: 3', 'Still failing (1 test)', 'known', 'failing since'],
    ...['Flaky: passed in the end (1 test)', 'flips', 'Fixed (1 test)', 'repaired', 'Not run (1 test)', 'blocked'],
    'Spec files',
  ];
  const places = inOrder.map((part) => text.lastIndexOf(part));
  expect(places).toEqual(places.toSorted((one, other) => one - other));
  expect(places[0]).toBeGreaterThan(0);
  expect(text).not.toContain('more');
  const evidence = links.filter((link) => link.includes('/test?test_id=') || /\/tests\/[0-9a-f]{32}$/.test(link));
  // The only test of the open section has two executions in its strip.
  expect(evidence).toHaveLength(12);
  for (const link of evidence) expect((await guest.get(link)).status).toBe(200);
});

test('The page of a run without a base says so and lists plain failures', async () => {
  const { stage, guest, hrefOf } = await stageWithGuest();
  const run = await runOf(stage, 'build-1', { [named('sums')]: failed() }, 'feature');
  const { text } = await guest.get(hrefOf(run));
  expect(text).toContain('Not compared: no complete run of the branch main with the same groups precedes this one');
  expect(text).toContain('Failures (1 test)');
});

test('The page of a passed run says that nothing failed', async () => {
  const { stage, guest, hrefOf } = await stageWithGuest();
  const run = await runOf(stage, 'build-1', { [named('sums')]: passed() });
  expect((await guest.get(hrefOf(run))).text).toContain('No failures');
});

test('The page of a run compares with the run of `base_run_id`, and keeps it in its links', async () => {
  const { stage, guest, hrefOf } = await stageWithGuest();
  const chosen = await runOf(stage, 'chosen', { [named('sums')]: failed() }, 'feature');
  await runOf(stage, 'default', { [named('sums')]: passed() });
  const run = await runOf(stage, 'run', { [named('sums')]: failed() });
  expect((await guest.get(hrefOf(run))).text).toContain('New failures (1 test)');
  const { text, links } = await guest.get(`${hrefOf(run)}?base_run_id=${chosen.runId}`);
  expect(text).toContain('Still failing (1 test)');
  expect(links).toContain(`${hrefOf(run)}?base_run_id=${chosen.runId}&verdict=still_failing`);
  expect(links).toContain(hrefOf(run));
});

test('The page of a run answers a wrong `base_run_id` with the message at its field, and the default comparison', async () => {
  const { stage, guest, hrefOf } = await stageWithGuest();
  await runOf(stage, 'default', { [named('sums')]: failed() });
  const run = await runOf(stage, 'run', { [named('sums')]: failed() });
  const open = await runOf(stage, 'open', { [named('sums')]: failed(), [named('waits')]: undefined });
  const refused = [
    ['nothing', 404, 'The run of `base_run_id` not found'],
    [run.runId, 400, '`base_run_id` names this run'],
    [open.runId, 400, '`base_run_id` names a run that did not complete'],
  ] as const;
  for (const [id, status, message] of refused) {
    const shown = await guest.get(`${hrefOf(run)}?base_run_id=${id}`);
    expect(shown.status).toBe(status);
    expect(shown.text).toContain('Still failing (1 test)');
    const [, hint = ''] = /id="field-base_run_id-hint"[^>]*>([^<]*)/.exec(shown.html) ?? [];
    expect(hint).toContain(message);
    expect(shown.html).toContain(`value="${id}"`);
  }
});

test('The page of a run shows tests with the same error together', async () => {
  const { stage, guest, hrefOf } = await stageWithGuest();
  const titles = ['a', 'b', 'c'];
  const alike = titles.map((title) => [named(title), failingWith('Error: the shop is closed')] as const);
  const run = await runOf(stage, 'run', { ...Object.fromEntries(alike), [named('d')]: failingWith('Error: other') });
  const { text } = await guest.get(hrefOf(run));
  expect(text.split('Error: the shop is closed')).toHaveLength(2);
  expect(text).toContain('3 tests, one error');
});

test('The page of a run pages through one section and counts the others', async () => {
  const { stage, guest, hrefOf } = await stageWithGuest();
  const titles = Array.from({ length: 12 }, (_, index) => `number ${index + 10}`);
  const run = await runOf(stage, 'run', {
    ...Object.fromEntries(titles.map((title) => [named(title), failed()])),
    [named('flips')]: flaky(),
  });
  const first = await guest.get(hrefOf(run));
  const next = first.links.find((link) => link.includes('page=1')) ?? '';
  const second = await guest.get(next);
  const seen = titles.filter((title) => first.text.includes(title));
  const rest = titles.filter((title) => second.text.includes(title));
  expect([seen.length, rest.length]).toEqual([10, 2]);
  expect([...seen, ...rest].sort()).toEqual(titles);
  expect(second.text).toContain('Flaky: passed in the end 1');
  expect((await guest.get(`${hrefOf(run)}?page=1`)).status).toBe(400);
});

test('The page of a cancelled run counts the tests that never reported', async () => {
  const { stage, guest, hrefOf } = await stageWithGuest();
  const run = await runOf(stage, 'run', {
    [named('sums')]: passed(),
    [named('a')]: undefined,
    [named('b')]: undefined,
  });
  expect((await guest.get(hrefOf(run))).text).not.toContain('never reported');
  await stage.api.put(`/runs/${run.runId}/cancel`);
  expect((await guest.get(hrefOf(run))).text).toContain('2 expected tests never reported a result');
});

const Logged = z.looseObject({ operationId: z.string(), readUnits: z.number() });

test('The page of a run of 50 spec files with 10 failures costs at most 30 read units', async () => {
  const { stage, guest, hrefOf } = await stageWithGuest();
  const files = Array.from({ length: 50 }, (_, file) =>
    Array.from({ length: 5 }, (_, number) => `file ${file}.spec.ts > test ${number}`),
  );
  const suite = [suiteGroup('unit', files.flat())];
  const record = async (ciBuildId: string, isFailing: (file: number) => boolean) => {
    clock.advance(1000);
    const instances = files.map((tests, file) => {
      const states = tests.map((name, index) => [name, index === 0 && isFailing(file) ? failed() : passed()] as const);
      return batchInstance('unit', `file ${file}.spec.ts`, Object.fromEntries(states));
    });
    return upload(stage, suite, instances, { ciBuildId, ...onBranch('main') });
  };
  await record('base', (file) => file < 10);
  const run = await record('run', (file) => file >= 5 && file < 15);
  const { text } = await guest.get(hrefOf({ runId: run.runId }));
  for (const part of ['New failures (5 tests)', 'Still failing (5 tests)', 'Fixed (5 tests)'])
    expect(text).toContain(part);
  const costs = logLines.flatMap((line) => {
    const logged = Logged.safeParse(JSON.parse(line));
    return logged.success && logged.data.operationId === 'showRun' ? [logged.data.readUnits] : [];
  });
  expect(costs.at(-1)).toBeLessThanOrEqual(30);
});
