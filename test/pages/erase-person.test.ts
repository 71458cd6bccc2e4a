import { describe, expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { inviteMember, listInvitations } from '#shared/organizations/invitations.ts';
import { removeMember } from '#shared/organizations/members.ts';
import { member } from '#test/harness/people.ts';
import { recordRun } from '#test/harness/recording.ts';
import { COMMIT, failed } from '#test/harness/recording-messages.ts';
import { clock, service } from '#test/harness/service.ts';
import { signedIn, signIn } from '#test/harness/visitor.ts';
import { fillIn, refusedFields } from './form-of.ts';

async function stage() {
  const here = await service();
  const page = `/${here.organizationId}/settings/members/erase`;
  return { ...here, page, admin: await signIn(here, await member(here, 'admin')) };
}

const finish = async ({ runSchedule }: Awaited<ReturnType<typeof stage>>): Promise<void> => {
  for (const pause of [1, 81 * 60_000]) {
    clock.advance(pause);
    expect(await runSchedule('erasePeople')).toMatchObject({ failed: 0 });
  }
};

describe('The page on which an Admin erases a person', () => {
  test('replaces the author of runs and a person who was invited, and then says that it is done', async () => {
    const here = await stage();
    const { organizationId, projectId, services } = here;
    const request = { organizationId, actor: OPERATOR };
    await inviteMember(services, { ...request, email: COMMIT.authorEmail, role: 'guest' });
    const { runId } = await recordRun(here, { retail: { tests: { 'cart.spec.ts > sums': failed() } } });
    const runPage = `/${organizationId}/${projectId}/runs/${runId}`;
    expect((await here.admin.get(runPage)).text).toContain(COMMIT.authorName);
    const answer = await fillIn(here.admin, here.page, { email: ` ${COMMIT.authorEmail.toUpperCase()} `, names: '' });
    expect([answer.status, answer.headers.get('location')]).toEqual([303, here.page]);
    expect((await here.admin.get(here.page)).text).toContain('Under way');
    await finish(here);
    const again = await signIn(here, await member(here, 'admin'));
    const shown = (await again.get(here.page)).text;
    expect(shown).toMatch(/Erased person [0-9a-f]{8}/);
    expect(shown).toContain('Done, in 1 run');
    const text = (await again.get(runPage)).text;
    expect(text).toContain('Erased person');
    // What is left is the name of the Admin, who is called the same.
    expect(text.split(COMMIT.authorName)).toHaveLength(2);
    expect(await listInvitations(services, request)).toEqual([]);
    expect((await again.get(`/${organizationId}/settings/audit`)).text).not.toContain(COMMIT.authorEmail);
  });

  test('refuses a member, who must be removed first, and an address that is none', async () => {
    const here = await stage();
    const other = await member(here, 'guest');
    const refused = await fillIn(here.admin, here.page, { email: other.email });
    expect([refused.status, refused.text]).toEqual([409, expect.stringContaining('Remove the member first')]);
    const wrong = await fillIn(here.admin, here.page, { email: 'nobody' });
    expect([wrong.status, refusedFields(wrong)]).toEqual([400, ['email']]);
    await removeMember(here.services, {
      organizationId: here.organizationId,
      actor: OPERATOR,
      accountId: other.accountId,
    });
    expect((await fillIn(here.admin, here.page, { email: other.email })).status).toBe(303);
  });

  test('is for Admins only', async () => {
    const here = await stage();
    for (const role of ['actionsAdmin', 'member', 'guest'] as const) {
      const visitor = await signedIn(here, role);
      expect((await visitor.get(here.page)).status).toBe(403);
      expect((await visitor.post(here.page, { email: 'a@example.com' })).status).toBe(403);
    }
  });
});
