import type { Page, Request } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { deactivateOrganization } from '#shared/organizations/deactivate-organization.ts';
import { removeMember } from '#shared/organizations/members.ts';
import { SIGN_IN_LIMITS } from '#shared/sign-in/limits.ts';
import { describeInChromium, profile } from '#test/harness/chromium.ts';
import { attribute } from '#test/harness/elements.ts';
import {
  dataOf,
  liveGroup,
  liveInstances,
  sendBatch,
  sendEnd,
  sendStart,
  startBody,
} from '#test/harness/live-recording.ts';
import { member } from '#test/harness/people.ts';
import { failed, passed, type TestState } from '#test/harness/recording-messages.ts';
import { clock, logLines, service } from '#test/harness/service.ts';
import { type Shown, signedIn, signIn, type Visitor } from '#test/harness/visitor.ts';
import { claimedRun } from '#test/recording/operations.ts';
import { pages } from './page-world.ts';

/** Opens the live part of the page of a run in progress as a Guest. */
async function openPage() {
  const stage = await service();
  const { runId } = await claimedRun(stage);
  const account = await member(stage, 'guest');
  const guest = await signIn(stage, account);
  const live = `/${stage.organizationId}/${stage.projectId}/runs/${runId}/live`;
  expect((await guest.get(live)).status).toBe(200);
  return { ...stage, account, guest, live, runId };
}

const [ONE, OTHER, OPEN] = ['cart.spec.ts > sums', 'cart.spec.ts > refuses', 'price.spec.ts > rounds'] as const;

/** Starts a run with the protocol of our reporters, and opens the live part of its page as a Guest. */
async function openRecording() {
  const stage = await service();
  const { runId } = await dataOf(sendStart(stage, startBody([liveGroup('retail', [ONE, OTHER, OPEN])])));
  const guest = await signedIn(stage, 'guest');
  const page = `/${stage.organizationId}/${stage.projectId}/runs/${runId}`;
  let sequence = 0;
  const send = (tests: Readonly<Record<string, TestState>>) => {
    const body = { machineId: 'm1', sequence, instances: liveInstances('retail', tests) };
    sequence += 1;
    return dataOf(sendBatch(stage, runId, body));
  };
  const end = () => dataOf(sendEnd(stage, runId, { machineId: 'm1', batches: sequence }));
  return { stage, guest, page, live: `${page}/live`, send, end };
}

/** Reads the page, and polls it with the tag of the state that it shows. Returns the status of the poll. */
async function pollShownState(guest: Visitor, page: string): Promise<number> {
  const { elements } = await guest.get(page);
  const part = elements.find((element) => attribute(element, 'data-live') !== undefined);
  const tag = (part && attribute(part, 'data-state')) ?? '';
  expect(part && attribute(part, 'data-live')).toBe(`${page}/live`);
  return (await guest.get(`${page}/live`, { 'if-none-match': tag })).status;
}

const placeOf = ({ status, headers }: Shown) => [status, headers.get('location')];

test('Only polls that answer nothing but a tag have reduced access checks', () => {
  const polled = pages.filter(({ isPolled }) => isPolled).map(({ operationId }) => operationId);
  expect(polled.toSorted()).toEqual(['showFirstRunLive', 'showRunLive']);
});

describe('A poll of the page of a run', () => {
  test('costs two read units and three round trips to the table', async () => {
    const { guest, live } = await openPage();
    const before = logLines.length;
    await guest.get(live);
    const line = logLines.slice(before).find((one) => one.includes('showRunLive')) ?? '';
    const [, units, trips] = /readUnits\D+([\d.]+).*trips\D+(\d+)/s.exec(line) ?? [];
    expect([Number(units), Number(trips)]).toEqual([2, 3]);
  });

  test('costs at most two and a half read units while our reporter records the run', async () => {
    const { guest, live, send } = await openRecording();
    await send({ [ONE]: passed() });
    const before = logLines.length;
    await guest.get(live);
    const line = logLines.slice(before).find((one) => one.includes('showRunLive')) ?? '';
    const [, units] = /readUnits\D+([\d.]+)/.exec(line) ?? [];
    expect(Number(units)).toBeLessThanOrEqual(2.5);
  });

  test('returns 304 until the run changes, for each kind of reporter', async () => {
    const { guest, page, live, send } = await openRecording();
    expect(await pollShownState(guest, page)).toBe(304);
    const tags = [(await guest.get(live)).headers.get('etag')];
    for (const [name, state] of [
      [ONE, passed()],
      [OTHER, failed()],
    ] as const) {
      await send({ [name]: state });
      tags.push((await guest.get(live)).headers.get('etag'));
      expect(await pollShownState(guest, page)).toBe(304);
    }
    expect(new Set(tags).size).toBe(3);
    const published = await openPage();
    expect(await pollShownState(published.guest, published.live.replace('/live', ''))).toBe(304);
  });

  test('redirects to the sign-in page as soon as the session has ended', async () => {
    const { guest, live } = await openPage();
    await guest.post('/sign-out');
    expect(placeOf(await guest.get(live))).toEqual([303, `/sign-in?return_to=${encodeURIComponent(live)}`]);
  });

  test('returns 404 as soon as the membership of the person has ended', async () => {
    const { guest, live, account, services, organizationId } = await openPage();
    await removeMember(services, { organizationId, accountId: account.accountId, actor: OPERATOR });
    expect((await guest.get(live)).status).toBe(404);
  });

  test('is refused no later than ten minutes after the organization was deactivated', async () => {
    const { guest, live, services, organizationId } = await openPage();
    await deactivateOrganization(services, { organizationId, actor: OPERATOR });
    clock.advance(SIGN_IN_LIMITS.lastSeenMilliseconds);
    expect((await guest.get(live)).status).toBe(409);
    // A refused request does not count as activity of the session, so the next request is fully checked as well.
    expect((await guest.get(live)).status).toBe(409);
  });

  test('keeps the session alive while the page is open', async () => {
    const { guest, live } = await openPage();
    for (let passed = 0; passed <= SIGN_IN_LIMITS.idleMilliseconds; passed += SIGN_IN_LIMITS.idleMilliseconds / 3) {
      clock.advance(SIGN_IN_LIMITS.idleMilliseconds / 3);
      expect((await guest.get(live)).status).toBe(200);
    }
  });

  test('returns 404 under an unknown project and under another organization', async () => {
    const { guest, organizationId, projectId, runId, tenant } = await openPage();
    const other = await tenant();
    const places = [
      `/${organizationId}/unknown/runs/${runId}/live`,
      `/${other.organizationId}/${other.projectId}/runs/${runId}/live`,
      `/${other.organizationId}/${projectId}/runs/${runId}/live`,
    ];
    for (const place of places) expect((await guest.get(place)).status, place).toBe(404);
  });
});

const QUIET_SECONDS = 60;

describeInChromium('The page of a run in Chromium', () => {
  test('The whole page of a run shows a batch of our reporter within three seconds after it was acknowledged, even if it arrives after a minute without results', async () => {
    const { guest, page, send, stage } = await openRecording();
    const opened = await (await profile(stage.origin, guest)).newPage();
    const pass = await clockOf(opened);
    await opened.goto(page);
    await pass(QUIET_SECONDS);
    await send({ [ONE]: passed() });
    await pass(3);
    await opened.getByText('1 of 3 tests finished').waitFor();
    const details = opened.locator('details').first();
    await details.locator('summary').first().click();
    await opened.getByRole('link', { name: 'cart.spec.ts' }).focus();
    await send({ [OTHER]: failed() });
    await pass(3);
    await opened.getByText('2 of 3 tests finished').waitFor();
    // The tile and the list of failures show the same moment.
    expect(await opened.locator('.summary dd').first().textContent()).toContain('1 of 3 tests');
    expect(await opened.locator('.failure h3 a').allTextContents()).toEqual(['refuses']);
    expect(await opened.title()).toContain('✕ failing');
    // What the person opened or focused stays.
    expect(await details.getAttribute('open')).toBe('');
    expect(await opened.locator(':focus').textContent()).toBe('cart.spec.ts');
  });

  test('The page of a project without runs shows the first run without a reload, as a page that was opened then', async () => {
    const stage = await service();
    const guest = await signedIn(stage, 'guest');
    const opened = await (await profile(stage.origin, guest)).newPage();
    const pass = await clockOf(opened);
    await opened.goto(`/${stage.organizationId}/${stage.projectId}/runs`);
    await opened.getByText('Waiting for the first result.').waitFor();
    const choice = opened.getByRole('radio', { name: 'Vitest' });
    await choice.check({ force: true });
    await pass(QUIET_SECONDS);
    expect(await choice.isChecked()).toBe(true);
    await dataOf(sendStart(stage, startBody([liveGroup('retail', [ONE])])));
    await pass(3);
    await opened.getByLabel('Runs, newest first').waitFor();
    const watched = await shownBy(opened);
    await opened.reload();
    expect(watched).toEqual(await shownBy(opened));
  });

  test('After a watched run has ended, its page equals a page that was opened then', async () => {
    const { guest, page, send, end, stage } = await openRecording();
    const opened = await (await profile(stage.origin, guest)).newPage();
    const pass = await clockOf(opened);
    await opened.goto(page);
    for (const [name, state] of [
      [ONE, failed()],
      [OTHER, passed()],
      [OPEN, failed()],
    ] as const) {
      await send({ [name]: state });
      await pass(3);
    }
    await end();
    await pass(3);
    await opened.locator('main [data-live]').waitFor({ state: 'detached' });
    const watched = await shownBy(opened);
    await opened.reload();
    expect(watched).toEqual(await shownBy(opened));
  });

  test('Says since when the page is not up to date if the service does not answer, and that the session has ended', async () => {
    const { guest, page, send, stage } = await openRecording();
    const context = await profile(stage.origin, guest);
    const opened = await context.newPage();
    const pass = await clockOf(opened);
    await opened.goto(page);
    await pass(3);
    const stale = opened.locator('#stale');
    await context.setOffline(true);
    await pass(3);
    expect(await stale.count()).toBe(0);
    await pass(5);
    expect(await stale.textContent()).toMatch(/^Not updated since \d+:\d\d.*Retry$/);
    await send({ [ONE]: passed() });
    await context.setOffline(false);
    await stale.getByRole('button', { name: 'Retry' }).click();
    await pass(1);
    await opened.getByText('1 of 3 tests finished').waitFor();
    expect(await stale.count()).toBe(0);
    await guest.post('/sign-out');
    // The page seemed to take the second that passed after the click on Retry, so the next poll is later than usual.
    await pass(QUIET_SECONDS);
    expect(await stale.textContent()).toContain('Your session has ended.');
    await stale.getByRole('link', { name: 'Sign in again' }).click();
    await opened.waitForURL(`**/sign-in?return_to=${encodeURIComponent(page)}`);
  });
});

/** What a person sees of a page: its content and its title. */
const shownBy = async (page: Page): Promise<{ main: string; title: string }> => ({
  main: await page.locator('main').evaluate((main) => main.outerHTML),
  title: await page.title(),
});

/**
 * Controls the clock of a page, which stands still otherwise: a page that took long on a slow machine is polled less
 * often. The returned function lets seconds pass, and waits for the requests of each second.
 */
async function clockOf(page: Page): Promise<(seconds: number) => Promise<void>> {
  const waiting = new Set<Request>();
  page.on('request', (request) => waiting.add(request));
  page.on('requestfinished', (request) => waiting.delete(request));
  page.on('requestfailed', (request) => waiting.delete(request));
  const start = Date.now();
  await page.clock.install({ time: start });
  await page.clock.pauseAt(start + 1000);
  return async (seconds) => {
    for (let second = 0; second < seconds; second += 1) {
      await page.clock.runFor(1000);
      await expect.poll(() => waiting.size).toBe(0);
    }
  };
}
