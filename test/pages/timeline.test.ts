import { expect, test } from 'vitest';
import { claim, createRecord, startRun } from '#test/harness/recording.ts';
import { batchInstance, upload } from '#test/harness/recording-batch.ts';
import { attempt, failed, passed, suiteGroup } from '#test/harness/recording-messages.ts';
import { clock, service } from '#test/harness/service.ts';
import { signedIn } from '#test/harness/visitor.ts';

const TESTS = ['cart.spec.ts > sums', 'tax.spec.ts > rounds', 'ship.spec.ts > ships'];
const HOSTILE = 'runner "1" </svg><script>';

/**
 * Starts a run on two machines. The first machine runs two spec files in parallel, and the second machine ends last.
 */
async function stage() {
  const here = await service();
  const guest = await signedIn(here, 'guest');
  const run = await startRun(here, [suiteGroup('unit', TESTS)]);
  const on = (machineId: string, spec: string) => claim(here, { ...run, machineId }, spec);
  const cart = await on('machine-1', 'cart.spec.ts');
  const tax = await on('machine-1', 'tax.spec.ts');
  clock.advance(60_000);
  await createRecord(here, cart, 'cart.spec.ts > sums', failed());
  await createRecord(here, tax, 'tax.spec.ts > rounds', passed());
  const ship = await on(HOSTILE, 'ship.spec.ts');
  clock.advance(30_000);
  const page = `/${here.organizationId}/${here.projectId}/runs/${run.runId}`;
  const finish = () => createRecord(here, ship, 'ship.spec.ts > ships', passed());
  return { ...here, runId: run.runId, guest, page, finish };
}

test('The timeline of a run shows when its last machine ended, and how long a machine was idle', async () => {
  const { guest, page, finish } = await stage();
  await finish();
  const { text, html } = await guest.get(`${page}/timeline`);
  expect(text).toContain('2 machines, 3 spec files');
  expect(text).toMatch(/Last to finish1m 30s/);
  expect(text).toMatch(/machine-12 spec filesidle 30\.0 s, 33 %/);
  expect(html).toContain('cart.spec.ts: failed, took 1m 00s, began after 0 ms');
  expect(html).not.toContain('<script>');
  expect((await guest.get(page)).links).toContainEqual(expect.stringContaining('/timeline'));
});

test('The timeline of a run in progress shows unfinished spec files up to the current time', async () => {
  const { guest, page } = await stage();
  const { html, text } = await guest.get(`${page}/timeline`);
  expect(text).toContain('so far');
  expect(html).toContain('ship.spec.ts: running, still running after 30.0 s, began after 1m 00s');
  expect(text).toContain('now ship.spec.ts, 30.0 s');
  expect(text).not.toMatch(/Last to finish|ends last/);
});

test('The small timelines of a run show the whole time of machines with hundreds of spec files', async () => {
  const here = await service();
  const guest = await signedIn(here, 'guest');
  const specs = Array.from({ length: 120 }, (_, at) => `file-${String(at).padStart(3, '0')}.spec.ts`);
  const run = await startRun(here, [
    suiteGroup(
      'unit',
      specs.map((spec) => `${spec} > sums`),
    ),
  ]);
  for (const [at, spec] of specs.entries()) {
    const instance = await claim(here, { ...run, machineId: `machine-${at % 2}` }, spec);
    clock.advance(1000);
    await createRecord(here, instance, `${spec} > sums`, at % 10 === 0 ? failed() : passed());
  }
  const { html } = await guest.get(`/${here.organizationId}/${here.projectId}/runs/${run.runId}`);
  for (const [lane] of html.matchAll(/<svg class="chart lanes".*?<\/svg>/g)) {
    const ends = [...lane.matchAll(/x="([\d.]+)%" width="([\d.]+)%"/g)].map(
      ([, x, width]) => Number(x) + Number(width),
    );
    expect(Math.max(...ends)).toBeGreaterThan(95);
  }
  expect(html.match(/<svg class="chart lanes"/g)).toHaveLength(2);
});

test('Nothing of a cancelled run is running: its timeline, machines and spec files say what did not finish', async () => {
  const { guest, page, api, runId } = await stage();
  await api.put(`/runs/${runId}/cancel`);
  clock.advance(17 * 60_000);
  const { html, text } = await guest.get(`${page}/timeline`);
  expect(html).toContain('ship.spec.ts: not finished, began after 1m 00s, 30.0 s before the end of the run');
  expect(text).toContain('not finished');
  const shown = await guest.get(page);
  for (const one of [html, shown.html]) {
    expect(one).not.toMatch(/class="(outcome )?running"/);
    expect(one).not.toContain('still running');
  }
});

test('The timeline of a run can be saved as an SVG file without links, scripts or styles', async () => {
  const { guest, page, finish } = await stage();
  await finish();
  const { status, headers, html } = await guest.get(`${page}/timeline.svg`);
  expect([status, headers.get('content-type'), headers.get('content-disposition')]).toEqual([
    200,
    'image/svg+xml',
    expect.stringMatching(/^attachment; filename="timeline-[0-9a-f]{16}\.svg"$/),
  ]);
  expect(html).toMatch(/^<\?xml version="1\.0" encoding="UTF-8"\?>\n<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg"/);
  expect(html).not.toMatch(/<script|<a |style|href/);
  expect(html).toContain('runner &quot;1&quot; &lt;/svg&gt;');
});

test('The timeline of a run that was uploaded after its tests ran shows them at their own times, or says that they have none', async () => {
  const { guest, ...here } = await stage();
  const [spec, name] = ['cart.spec.ts', 'cart.spec.ts > sums'];
  const suite = [suiteGroup('unit', [name])];
  const open = async (ciBuildId: string, more: Parameters<typeof attempt>[1]) => {
    const test = passed({ attempts: [attempt('passed', more)] });
    const { runId } = await upload(here, suite, [batchInstance('unit', spec, { [name]: test })], { ciBuildId });
    const page = `/${here.organizationId}/${here.projectId}/runs/${runId}`;
    return { run: (await guest.get(page)).text, timeline: (await guest.get(`${page}/timeline`)).text };
  };
  const timed = await open('timed', { startTime: '2026-11-02T09:59:00.000Z', duration: 700 });
  expect(timed.timeline).toContain('Length700 ms');
  expect(timed.run).toMatch(/cart\.spec\.tsunit.{0,20}700 ms/);
  const untimed = await open('untimed', { startTime: undefined });
  expect(untimed.timeline).toContain('It is not known when the spec files of this run began');
  // The spec file has one passed test and no failed one, and the table has no column of durations.
  expect(untimed.run).toMatch(/cart\.spec\.tsunit 10Compared/);
});
