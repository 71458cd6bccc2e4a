import { revokeBadge } from '#shared/badges/badges.ts';
import { redirect } from '#shared/engine/http/content.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { badges, badgesOfProject } from '#shared/model/organizations/badge.ts';
import { linkToBadges } from '#shared/pages/shell/hrefs.ts';
import { form } from '#shared/platform/page.ts';

export const handler = form({
  operationId: 'submitRevokeBadge',
  route: 'POST /{organizationId}/{projectId}/badges/{badgeId}/revoke',
  needs: 'projects:write',
  notFresh: 'revokes',
  access: { table: 'readWrite', writes: [badges, badgesOfProject, auditRecords], artifacts: 'none' },
  page: 'showBadges',
  async submit({ visit, caller, path: { badgeId } }, services) {
    await revokeBadge(services, { ...caller, badgeId });
    return redirect(linkToBadges(visit));
  },
});
