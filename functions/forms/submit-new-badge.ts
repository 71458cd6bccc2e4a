import * as z from 'zod';
import { createBadge } from '#shared/badges/badges.ts';
import { redirect } from '#shared/engine/http/content.ts';
import { id } from '#shared/model/names.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { badges, badgesOfProject } from '#shared/model/organizations/badge.ts';
import { creationTurns } from '#shared/model/organizations/creation-turn.ts';
import { submittedForms } from '#shared/model/submitted-form.ts';
import { linkToBadges } from '#shared/pages/shell/hrefs.ts';
import { form } from '#shared/platform/page.ts';

export const handler = form({
  operationId: 'submitNewBadge',
  route: 'POST /{organizationId}/{projectId}/badges',
  needs: 'projects:write',
  fresh: 'create a badge',
  access: {
    table: 'readWrite',
    writes: [badges, badgesOfProject, auditRecords, submittedForms, creationTurns],
    artifacts: 'none',
  },
  fields: z.object({ formId: id, branch: z.string(), label: z.string() }),
  page: 'showBadges',
  async submit({ visit, caller, fields }, services) {
    await createBadge(services, { ...caller, ...fields });
    return redirect(linkToBadges(visit));
  },
});
