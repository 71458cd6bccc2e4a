import { describe, expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { createBadge, readBadge } from '#shared/badges/badges.ts';
import { deactivateOrganization } from '#shared/organizations/deactivate-organization.ts';
import { recordRun } from '#test/harness/recording.ts';
import { COMMIT, failed, flaky, passed, skipped } from '#test/harness/recording-messages.ts';
import { clock, deliverEvents, service } from '#test/harness/service.ts';
import { signedIn } from '#test/harness/visitor.ts';

deliverEvents();

const TEST = 'cart.spec.ts > cart > is open';
const MINUTE = 60_000;

async function shop() {
  const stage = await service();
  const { organizationId, projectId, services } = stage;
  const admin = await signedIn(stage, 'admin');
  const create = (more: object = {}) =>
    createBadge(services, { organizationId, projectId, actor: OPERATOR, branch: 'main', label: 'tests', ...more });
  const show = (badgeId: string, headers = {}) => admin.get(`/badges/${badgeId}.svg`, headers);
  const titleOf = async (badgeId: string) => /<title>(.*?)<\/title>/.exec((await show(badgeId)).html)?.[1];
  let builds = 0;
  const record = async (state: ReturnType<typeof passed>, branch = 'main') => {
    clock.advance(MINUTE);
    builds += 1;
    const more = { ciBuildId: `build-${builds}`, commit: { ...COMMIT, branch } };
    return recordRun(stage, { retail: { tests: { [TEST]: state } } }, more);
  };
  return { ...stage, admin, create, show, titleOf, record };
}

describe('A badge', () => {
  test('shows the latest complete run of its branch, whether the run ended before or after the badge was created, and shows “failed” if the run failed without a failed test', async () => {
    const { create, titleOf, record } = await shop();
    const early = await create();
    expect(await titleOf(early.badgeId)).toBe('tests: no runs');
    await record(passed());
    await expect.poll(() => titleOf(early.badgeId)).toBe('tests: passed');
    await record(failed());
    await expect.poll(() => titleOf(early.badgeId)).toBe('tests: 1 failed');
    await record(passed(), 'other');
    await record(flaky());
    await expect.poll(() => titleOf(early.badgeId)).toBe('tests: 1 flaky');
    await record(skipped());
    await expect.poll(() => titleOf(early.badgeId)).toBe('tests: failed');
    expect(await titleOf((await create({ branch: 'other' })).badgeId)).toBe('tests: passed');
    expect(await titleOf((await create({ branch: 'unknown' })).badgeId)).toBe('tests: no runs');
  });

  test('is an image that other sites may embed, that may be cached for a minute, and that runs no script', async () => {
    const { create, show } = await shop();
    const { badgeId } = await create({ label: '<script>alert(1)</script>' });
    const { status, headers, html } = await show(badgeId);
    expect({ status, type: headers.get('content-type'), cache: headers.get('cache-control') }).toEqual({
      status: 200,
      type: 'image/svg+xml; charset=utf-8',
      cache: 'public, max-age=60',
    });
    expect(headers.get('content-security-policy')).toBe("default-src 'none'");
    expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin');
    expect(html).not.toContain('<script>');
    const again = await show(badgeId, { 'if-none-match': headers.get('etag') ?? '' });
    expect([again.status, again.html]).toEqual([304, '']);
  });

  test('costs one and a half DynamoDB read units each time it is shown', async () => {
    const { create, services } = await shop();
    const { badgeId } = await create();
    const table = services.table.metered();
    await readBadge({ table }, badgeId);
    expect(table.meter.readUnits).toBe(1.5);
  });

  test('can be created and revoked by an Admin on the badges page of its project, but not by a Member', async () => {
    const stage = await shop();
    const { admin, organizationId, projectId, show } = stage;
    const path = `/${organizationId}/${projectId}/badges`;
    const fields = { formId: '0'.repeat(32), branch: 'main', label: 'tests' };
    const member = await signedIn(stage, 'member');
    expect((await member.post(path, fields)).status).toBe(403);
    expect((await admin.get(path)).text).toContain('No badges yet');
    expect((await admin.post(path, fields)).status).toBe(303);
    const page = await admin.get(path);
    const [, badgeId = ''] = /\/badges\/([0-9a-f]+)\.svg/.exec(page.html) ?? [];
    expect(page.text).toContain(`[![tests](${stage.origin}/badges/${badgeId}.svg)]`);
    expect((await show(badgeId)).status).toBe(200);
    expect((await member.post(`${path}/${badgeId}/revoke`)).status).toBe(403);
    expect((await admin.post(`${path}/${badgeId}/revoke`)).status).toBe(303);
    expect((await show(badgeId)).status).toBe(404);
  });

  test('returns 404 after its organization has been deactivated, with the same page as for an unknown badge', async () => {
    const { create, show, services, organizationId } = await shop();
    const { badgeId } = await create();
    await deactivateOrganization(services, { organizationId, actor: OPERATOR });
    const gone = await show(badgeId);
    const unknown = await show('0'.repeat(32));
    expect([gone.status, unknown.status]).toEqual([404, 404]);
    expect(gone.text).toBe(unknown.text);
  });

  test('returns 404 while its project is deleted, with the same page as for an unknown badge, and is shown again after the restoration', async () => {
    const { create, show, api, projectId } = await shop();
    const { badgeId } = await create();
    await api.send('DELETE', `/projects/${projectId}`);
    const gone = await show(badgeId);
    const unknown = await show('0'.repeat(32));
    expect([gone.status, unknown.status]).toEqual([404, 404]);
    expect(gone.text).toBe(unknown.text);
    await api.put(`/projects/${projectId}/restore`);
    expect((await show(badgeId)).status).toBe(200);
  });
});
