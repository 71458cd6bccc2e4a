import * as z from 'zod';
import { redirect } from '#shared/engine/http/content.ts';
import { dueErasures } from '#shared/model/due.ts';
import { adminNews } from '#shared/model/organizations/admin-news.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { erasedAuthors, erasureKeys, erasures } from '#shared/model/organizations/erasure.ts';
import { listErasures, requestErasure } from '#shared/organizations/erased-people.ts';
import { splitTags } from '#shared/organizations/name-inputs.ts';
import { ErasePersonPage } from '#shared/pages/organization/erase-person-page.tsx';
import { linkToOrganizationSettings } from '#shared/pages/shell/hrefs.ts';
import { form, page } from '#shared/platform/page.ts';

export const showErasePerson = page({
  operationId: 'showErasePerson',
  route: 'GET /{organizationId}/settings/members/erase',
  lambda: 'settings',
  needs: 'people:erase',
  fresh: 'erase a person',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, caller, refused }, services) {
    const erasures = await listErasures(services, caller);
    return {
      title: 'Erase a person',
      tab: 'Members',
      breadcrumbs: [{ name: 'Members', href: linkToOrganizationSettings(visit, 'members') }, { name: 'Erase' }],
      body: <ErasePersonPage visit={visit} erasures={erasures} refused={refused} />,
    };
  },
});

/** The email address is a form field, because URLs are logged. */
export const submitErasePerson = form({
  operationId: 'submitErasePerson',
  route: 'POST /{organizationId}/settings/members/erase',
  needs: 'people:erase',
  fresh: 'erase a person',
  access: {
    table: 'readWrite',
    writes: [adminNews, auditRecords, dueErasures, erasedAuthors, erasureKeys, erasures],
    artifacts: 'none',
  },
  fields: z.object({ email: z.string(), names: z.string().transform(splitTags).optional() }),
  page: 'showErasePerson',
  async submit({ visit, caller, fields }, services) {
    await requestErasure(services, { ...caller, ...fields });
    return redirect(linkToOrganizationSettings(visit, 'members', 'erase'));
  },
});
