import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Frame, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { readTraceViewerFiles, TRACE_VIEWER_FOLDER } from '#infra/build/trace-viewer.ts';
import { describeInChromium, profile } from '#test/harness/chromium.ts';
import { service } from '#test/harness/service.ts';
import { tracedRun } from '#test/harness/traced-run.ts';
import { signedIn } from '#test/harness/visitor.ts';
import { HARMLESS, hostileSnapshots, traceOf, unprotected } from './hostile-snapshots.ts';
import { startStranger } from './stranger.ts';

const recorded = async () => new Uint8Array(await readFile(join(import.meta.dirname, '../samples/traces/trace.zip')));

/** Records a failed test with this trace, and opens the pages of the run and of the test as a Guest. */
async function stage(trace: Uint8Array<ArrayBuffer>) {
  const here = await tracedRun(trace);
  const guest = await signedIn(here, 'guest');
  const run = await guest.get(`/${here.organizationId}/${here.projectId}/runs/${here.runId}`);
  const linkWith = (part: string, links = run.links) => links.find((link) => link.includes(part)) ?? '';
  const shown = await guest.get(linkWith('/test?'));
  return { ...here, guest, run, shown, linkWith };
}

test('The trace viewer is served completely, with its licenses and without the files of the UI mode of Playwright', async () => {
  const { origin } = await service();
  const names = readTraceViewerFiles().map(([path]) => path);
  expect(names).toEqual(expect.arrayContaining(['index.html', 'sw.bundle.js', 'LICENSE', 'NOTICE']));
  expect(names.filter((name) => /uiMode|xterm/.test(name))).toEqual([]);
  for (const [path, content] of readTraceViewerFiles()) {
    const answer = await fetch(`${origin}/assets/${TRACE_VIEWER_FOLDER}/${path}`);
    expect(answer.status, path).toBe(200);
    expect(Buffer.from(await answer.arrayBuffer()).equals(content), path).toBe(true);
  }
  expect((await fetch(`${origin}/assets/${TRACE_VIEWER_FOLDER}/uiMode.html`)).status).toBe(404);
});

test('Each file of the trace viewer limits the origins that it may load from, and may be cached for a year', async () => {
  const { origin, services } = await service();
  for (const [path] of readTraceViewerFiles()) {
    const { headers } = await fetch(`${origin}/assets/${TRACE_VIEWER_FOLDER}/${path}`);
    const policy = headers.get('content-security-policy');
    expect(policy, path).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy, path).toContain(`connect-src 'self' ${services.artifacts.origin};`);
    expect(headers.get('referrer-policy'), path).toBe('no-referrer');
    expect(headers.get('cache-control'), path).toBe('public, max-age=31536000, immutable');
    expect(headers.get('x-content-type-options'), path).toBe('nosniff');
  }
});

test('The page of a run and the page of a failed test link to the trace viewer, which loads the trace through a redirect of this service', async () => {
  const { run, shown, guest, linkWith, services } = await stage(await recorded());
  const viewer = linkWith('?trace=');
  expect(run.text).toContain('Open trace');
  expect(shown.links).toContain(viewer);
  expect(shown.text).toContain('npx playwright show-trace');
  const file = new URL(viewer, 'http://here').searchParams.get('trace') ?? '';
  expect(shown.links).toContain(`${file}?download=true`);
  const answer = await guest.get(file);
  expect(answer.status).toBe(303);
  expect(new URL(answer.headers.get('location') ?? '').origin).toBe(services.artifacts.origin);
});

/** The console messages that an inline script and the frames of the trace viewer itself cause. */
const KNOWN = [/^Executing inline script violates/, /^Framing '' violates/, /allow-scripts and allow-same-origin/];

/** Collects all console messages and errors except the expected ones. */
function complaintsOf(page: Page): string[] {
  const complaints: string[] = [];
  page.on('pageerror', ({ message }) => complaints.push(message));
  page.on('console', (message) => {
    if (!KNOWN.some((known) => known.test(message.text()))) complaints.push(message.text());
  });
  return complaints;
}

const snapshot = (page: Page) => page.frameLocator('iframe[name="snapshot"]:visible');

describeInChromium('The trace viewer', () => {
  test('The trace viewer shows the page that a trace recorded, without unexpected messages in the console', async () => {
    const { origin, guest, linkWith } = await stage(await recorded());
    const page = await (await profile(origin, guest)).newPage();
    const complaints = complaintsOf(page);
    await page.goto(linkWith('?trace='));
    await page.getByText('Expect "toHaveText"').first().click();
    await snapshot(page).getByText('wrong').waitFor();
    expect(complaints).toEqual([]);
  });

  test('The trace viewer runs no script of a recorded page, even if the page tries 21 techniques that work outside the viewer', async () => {
    const stranger = await startStranger();
    const hostile = hostileSnapshots(stranger.origin);
    const names = hostile.map(({ name }) => name);
    const { origin, guest, linkWith } = await stage(traceOf(hostile));
    const context = await profile(origin, guest);
    const ran = new Set<string>();
    await context.exposeFunction('ran', (name: string) => ran.add(name));
    const page = await context.newPage();
    await page.goto(linkWith('?trace='));
    for (const name of [...names, HARMLESS]) {
      await page.getByText(name, { exact: true }).first().click();
      await snapshot(page).getByText(`page: ${name}`).waitFor();
      for (const frame of page.frames().filter((one) => one.url().includes('/snapshot/'))) await press(frame);
    }
    expect([...ran]).toEqual([]);
    expect(stranger.asked).toEqual([]);
    const open = await context.newPage();
    for (const one of hostile) {
      await open.goto(stranger.show(unprotected(one)));
      if (unprotected(one).match(/<(A|BUTTON) /)) await press(open.mainFrame());
      await expect.poll(() => [...ran], { message: one.name }).toContain(one.name);
    }
    expect(new Set(names).size).toBe(21);
  });

  test('The trace viewer does not load a trace from another origin', async () => {
    const stranger = await startStranger();
    const { origin } = await service();
    const page = await (await profile(origin)).newPage();
    const trace = encodeURIComponent(`${stranger.origin}/trace.zip`);
    await page.goto(`/assets/${TRACE_VIEWER_FOLDER}/index.html?trace=${trace}`);
    await page.getByText('Could not load trace').waitFor();
    expect(stranger.asked).toEqual([]);
  });
});

const press = (frame: Frame): Promise<unknown> =>
  frame.evaluate('for (const one of document.querySelectorAll("a, form button")) one.click()');
