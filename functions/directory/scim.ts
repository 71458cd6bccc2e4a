import { answerScimError, serveScim } from '#shared/directory/serve-scim.ts';
import { directoryEntries } from '#shared/model/directory/directory-entry.ts';
import { directoryGroupMembers, directoryGroups } from '#shared/model/directory/directory-group.ts';
import { directoryNames } from '#shared/model/directory/directory-name.ts';
import { directoryValues } from '#shared/model/directory/directory-value.ts';
import { scimTokens } from '#shared/model/directory/scim-token.ts';
import { grants, grantsOfAccount } from '#shared/model/oauth/oauth-grant.ts';
import { accounts, accountsByEmail, companyAccounts } from '#shared/model/organizations/account.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { invitations, invitationsBySecret } from '#shared/model/organizations/invitation.ts';
import { memberships, membershipsOfAccount } from '#shared/model/organizations/membership.ts';
import { organizations } from '#shared/model/organizations/organization.ts';
import { personalTokens, tokensOfOrganization } from '#shared/model/organizations/personal-token.ts';
import { signInSettings } from '#shared/model/organizations/sign-in-settings.ts';
import { sessions, sessionsOfAccount } from '#shared/model/sign-in/session.ts';
import { routes } from '#shared/platform/routes.ts';

/** §5 SCIM 2.0. The function checks the token itself, because directories expect a SCIM error on 401. */
export const handler = routes({
  name: 'scim',
  routes: [
    'GET /scim/{path+}',
    'POST /scim/{path+}',
    'PUT /scim/{path+}',
    'PATCH /scim/{path+}',
    'DELETE /scim/{path+}',
  ],
  credential: 'none',
  access: {
    table: 'readWrite',
    reads: [accountsByEmail, signInSettings, tokensOfOrganization],
    writes: [
      accounts,
      auditRecords,
      companyAccounts,
      directoryEntries,
      directoryGroupMembers,
      directoryGroups,
      directoryNames,
      directoryValues,
      grants,
      grantsOfAccount,
      invitations,
      invitationsBySecret,
      memberships,
      membershipsOfAccount,
      organizations,
      personalTokens,
      scimTokens,
      sessions,
      sessionsOfAccount,
    ],
    artifacts: 'none',
  },
  memoryMegabytes: 512,
  summary: 'Provisioning of people by the directory of a company (SCIM 2.0)',
  answerError: answerScimError,
  handle: (event, services) => serveScim(services, event),
});
