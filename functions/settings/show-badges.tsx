import { listBadges } from '#shared/badges/badges.ts';
import { makeFormId } from '#shared/organizations/only-once.ts';
import { BadgesPage } from '#shared/pages/badges/badges-page.tsx';
import { page } from '#shared/platform/page.ts';
import { isFreshForForm } from '#shared/sign-in/sessions.ts';

export const handler = page({
  operationId: 'showBadges',
  route: 'GET /{organizationId}/{projectId}/badges',
  needs: 'projects:write',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, here, refused }, services) {
    const badges = await listBadges(services, visit);
    const { origin } = services;
    const isFresh = isFreshForForm(visit.session, services.now());
    const body = <BadgesPage {...{ visit, badges, refused, origin, here, isFresh }} formId={makeFormId(services)} />;
    return { title: 'Badges', tab: 'Settings', hasSecret: true, body };
  },
});
