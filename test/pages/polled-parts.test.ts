import { describe, expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { deactivateOrganization } from '#shared/organizations/deactivate-organization.ts';
import { removeMember } from '#shared/organizations/members.ts';
import { SIGN_IN_LIMITS } from '#shared/sign-in/limits.ts';
import { member } from '#test/harness/people.ts';
import { clock, logLines, service } from '#test/harness/service.ts';
import { type Shown, signIn } from '#test/harness/visitor.ts';
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

const placeOf = ({ status, headers }: Shown) => [status, headers.get('location')];

test('Only the polled part of the page of a run has reduced access checks', () => {
  expect(pages.filter(({ isPolled }) => isPolled).map(({ operationId }) => operationId)).toEqual(['showRunLive']);
});

describe('A poll of the page of a run', () => {
  test('A poll of the page of a run costs at most two read units, in at most four round trips', async () => {
    const { guest, live } = await openPage();
    const before = logLines.length;
    await guest.get(live);
    const line = logLines.slice(before).find((one) => one.includes('showRunLive')) ?? '';
    const [, units, trips] = /readUnits\D+([\d.]+).*trips\D+(\d+)/s.exec(line) ?? [];
    expect([Number(units), Number(trips)]).toEqual([2, 4]);
  });

  test('A poll of the page of a run redirects to the sign-in page as soon as the session has ended', async () => {
    const { guest, live } = await openPage();
    await guest.post('/sign-out');
    expect(placeOf(await guest.get(live))).toEqual([303, `/sign-in?return_to=${encodeURIComponent(live)}`]);
  });

  test('A poll of the page of a run returns 404 as soon as the membership of the person has ended', async () => {
    const { guest, live, account, services, organizationId } = await openPage();
    await removeMember(services, { organizationId, accountId: account.accountId, actor: OPERATOR });
    expect((await guest.get(live)).status).toBe(404);
  });

  test('A poll of the page of a run is refused no later than ten minutes after the organization was deactivated', async () => {
    const { guest, live, services, organizationId } = await openPage();
    await deactivateOrganization(services, { organizationId, actor: OPERATOR });
    clock.advance(SIGN_IN_LIMITS.lastSeenMilliseconds);
    expect((await guest.get(live)).status).toBe(409);
    // A refused request does not count as activity of the session, so the next request is fully checked as well.
    expect((await guest.get(live)).status).toBe(409);
  });

  test('A poll of the page of a run keeps the session alive while the page is open', async () => {
    const { guest, live } = await openPage();
    for (let passed = 0; passed <= SIGN_IN_LIMITS.idleMilliseconds; passed += SIGN_IN_LIMITS.idleMilliseconds / 3) {
      clock.advance(SIGN_IN_LIMITS.idleMilliseconds / 3);
      expect((await guest.get(live)).status).toBe(200);
    }
  });

  test('A poll of the page of a run returns 404 in another project and in another organization', async () => {
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
