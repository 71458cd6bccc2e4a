import * as z from 'zod';
import { changeGroupRoles, readDirectory } from '#shared/directory/settings.ts';
import { createScimToken, listScimTokens, revokeScimToken } from '#shared/directory/tokens.ts';
import { redirect } from '#shared/engine/http/content.ts';
import { directoryEntries } from '#shared/model/directory/directory-entry.ts';
import { scimTokens, scimTokensOfOrganization } from '#shared/model/directory/scim-token.ts';
import { id } from '#shared/model/names.ts';
import { adminNews } from '#shared/model/organizations/admin-news.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { creationTurns } from '#shared/model/organizations/creation-turn.ts';
import { invitations, invitationsBySecret } from '#shared/model/organizations/invitation.ts';
import { memberships, ROLES } from '#shared/model/organizations/membership.ts';
import { organizations } from '#shared/model/organizations/organization.ts';
import { signInSettings } from '#shared/model/organizations/sign-in-settings.ts';
import { submittedForms } from '#shared/model/submitted-form.ts';
import { loadActorNames } from '#shared/organizations/actor-names.ts';
import { makeFormId } from '#shared/organizations/only-once.ts';
import { CreatedScimTokenPage, DirectoryPage } from '#shared/pages/organization/directory-page.tsx';
import { linkToOrganizationSettings } from '#shared/pages/shell/hrefs.ts';
import { form, page } from '#shared/platform/page.ts';

export const showDirectory = page({
  operationId: 'showDirectory',
  route: 'GET /{organizationId}/settings/directory',
  lambda: 'settings',
  needs: 'signIn:read',
  fresh: 'change the directory',
  access: { table: 'read', artifacts: 'none' },
  async show({ visit, caller, refused }, services) {
    const [tokens, directory] = await Promise.all([listScimTokens(services, caller), readDirectory(services, caller)]);
    const createdBy = tokens.map((token) => token.createdBy);
    const nameOf = await loadActorNames(services, createdBy);
    const { origin } = services;
    const props = { visit, origin, tokens, directory, nameOf, refused, formId: makeFormId(services) };
    return { title: 'Directory', tab: 'Directory', hasSecret: true, body: <DirectoryPage {...props} /> };
  },
});

export const submitNewScimToken = form({
  operationId: 'submitNewScimToken',
  route: 'POST /{organizationId}/settings/directory',
  needs: 'scimTokens:create',
  fresh: 'create a SCIM token',
  access: {
    table: 'readWrite',
    writes: [adminNews, scimTokens, scimTokensOfOrganization, auditRecords, creationTurns, submittedForms],
    artifacts: 'none',
  },
  fields: z.object({ formId: id }),
  page: 'showDirectory',
  async submit({ visit, caller, fields: { formId } }, services) {
    const { value } = await createScimToken(services, { ...caller, formId });
    const body = <CreatedScimTokenPage visit={visit} value={value} origin={services.origin} />;
    return { title: 'SCIM token', tab: 'Directory', hasSecret: true, body };
  },
});

export const submitRevokeScimToken = form({
  operationId: 'submitRevokeScimToken',
  route: 'POST /{organizationId}/settings/directory/revoke',
  needs: 'scimTokens:revoke',
  notFresh: 'revokes',
  access: {
    table: 'readWrite',
    writes: [adminNews, scimTokens, scimTokensOfOrganization, auditRecords],
    artifacts: 'none',
  },
  fields: z.object({ tokenId: id }),
  page: 'showDirectory',
  async submit({ visit, caller, fields: { tokenId } }, services) {
    await revokeScimToken(services, { ...caller, tokenId });
    return redirect(linkToOrganizationSettings(visit, 'directory'));
  },
});

/** One name of a group per line. */
const names = z.string().default('');

export const submitGroupRoles = form({
  operationId: 'submitGroupRoles',
  route: 'POST /{organizationId}/settings/directory/roles',
  needs: 'signIn:change',
  fresh: 'change the roles of groups',
  access: {
    table: 'readWrite',
    writes: [
      adminNews,
      signInSettings,
      directoryEntries,
      memberships,
      organizations,
      invitations,
      invitationsBySecret,
      auditRecords,
    ],
    artifacts: 'none',
  },
  fields: z.object({
    admin: names,
    actionsAdmin: names,
    member: names,
    guest: names,
    defaultRole: z.enum(ROLES),
  }),
  page: 'showDirectory',
  async submit({ visit, caller, fields }, services) {
    const groupRoles = ROLES.flatMap((role) =>
      fields[role]
        .split('\n')
        .map((group) => group.trim())
        .filter((group) => group !== '')
        .map((group) => ({ group, role })),
    );
    await changeGroupRoles(services, { ...caller, groupRoles, defaultRole: fields.defaultRole });
    return redirect(linkToOrganizationSettings(visit, 'directory'));
  },
});
