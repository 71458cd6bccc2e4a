import { listOwnGrants } from '#shared/oauth/grants.ts';
import { listOwnOrganizations } from '#shared/organizations/own-organizations.ts';
import { AccountPage } from '#shared/pages/account/account-page.tsx';
import { page } from '#shared/platform/page.ts';
import { listPasskeys } from '#shared/sign-in/passkeys.ts';
import { isIdle, listSessions } from '#shared/sign-in/sessions.ts';

export const handler = page({
  operationId: 'showAccount',
  route: 'GET /account',
  needs: 'account',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, refused }, services) {
    const [storedSessions, passkeys, organizations, grants] = await Promise.all([
      listSessions(services, visit.account),
      listPasskeys(services, visit.account),
      listOwnOrganizations(services, visit.person),
      listOwnGrants(services, visit.person),
    ]);
    const { origin } = services;
    const now = services.now();
    const sessions = storedSessions.filter((session) => !isIdle(session, now));
    const props = { visit, sessions, passkeys, organizations, grants, refused, origin, now };
    return { title: 'Your account', body: <AccountPage {...props} /> };
  },
});
