import { removeOrganizations } from '#shared/lifecycle/remove-organizations.ts';
import { callSlots } from '#shared/model/call-slots.ts';
import { directoryEntries } from '#shared/model/directory/directory-entry.ts';
import { directoryGroupMembers, directoryGroups } from '#shared/model/directory/directory-group.ts';
import { directoryNames } from '#shared/model/directory/directory-name.ts';
import { directoryValues } from '#shared/model/directory/directory-value.ts';
import { scimTokens, scimTokensOfOrganization } from '#shared/model/directory/scim-token.ts';
import { dueDeletions, dueOrganizations, dueProjects } from '#shared/model/due.ts';
import { outboxParked, outboxRetries } from '#shared/model/events/outbox-retry.ts';
import { integrations } from '#shared/model/issues/integration.ts';
import { grants, grantsOfAccount } from '#shared/model/oauth/oauth-grant.ts';
import { accounts, accountsByEmail, companyAccounts } from '#shared/model/organizations/account.ts';
import { activeOrganizations } from '#shared/model/organizations/active-organizations.ts';
import { apiKeys, apiKeysOfOrganization } from '#shared/model/organizations/api-key.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { creationTurns } from '#shared/model/organizations/creation-turn.ts';
import { invitations, invitationsBySecret } from '#shared/model/organizations/invitation.ts';
import { memberships, membershipsOfAccount } from '#shared/model/organizations/membership.ts';
import { allOrganizations, organizations } from '#shared/model/organizations/organization.ts';
import { personalTokens, tokensOfOrganization } from '#shared/model/organizations/personal-token.ts';
import { projects, projectsOfOrganization } from '#shared/model/organizations/project.ts';
import { signInSettings } from '#shared/model/organizations/sign-in-settings.ts';
import { companyIdentities, companyProviders } from '#shared/model/sign-in/company-provider.ts';
import { confirmationCodes } from '#shared/model/sign-in/confirmation-code.ts';
import { passkeys, passkeysOfAccount } from '#shared/model/sign-in/passkey.ts';
import { sessions, sessionsOfAccount } from '#shared/model/sign-in/session.ts';
import { linkOfAccount, signInLinks } from '#shared/model/sign-in/sign-in-link.ts';
import { monthsOfRequests, requestsOfCredentials, storedBytes } from '#shared/model/usage/usage.ts';
import { noteActiveOrganizations } from '#shared/organizations/note-active-organizations.ts';
import { connectProviders, connectTrackers } from '#shared/platform/connect.ts';
import { schedule } from '#shared/platform/schedule.ts';

const trackers = connectTrackers();
const providers = connectProviders();

/** §5 */
export const handler = schedule({
  name: 'removeOrganizations',
  expression: 'rate(5 minutes)',
  access: {
    table: 'readWrite',
    reads: [dueDeletions, projectsOfOrganization],
    writes: [
      accounts,
      accountsByEmail,
      activeOrganizations,
      allOrganizations,
      apiKeys,
      apiKeysOfOrganization,
      auditRecords,
      callSlots,
      companyAccounts,
      companyIdentities,
      companyProviders,
      creationTurns,
      directoryEntries,
      directoryGroupMembers,
      directoryGroups,
      directoryNames,
      directoryValues,
      dueOrganizations,
      dueProjects,
      grants,
      grantsOfAccount,
      integrations,
      invitations,
      invitationsBySecret,
      confirmationCodes,
      linkOfAccount,
      memberships,
      membershipsOfAccount,
      monthsOfRequests,
      organizations,
      outboxParked,
      outboxRetries,
      passkeys,
      passkeysOfAccount,
      personalTokens,
      projects,
      requestsOfCredentials,
      scimTokens,
      scimTokensOfOrganization,
      sessions,
      sessionsOfAccount,
      signInLinks,
      signInSettings,
      storedBytes,
      tokensOfOrganization,
    ],
    artifacts: 'none',
    trackers: 'write',
    providers: 'write',
  },
  summary: 'Removes deleted organizations with their people, credentials and audit records, and counts the active ones',
  timeoutSeconds: 60,
  retrySeconds: 60,
  metrics: ['failed', 'lateSeconds'],
  async handle(services, run) {
    await noteActiveOrganizations(services);
    return removeOrganizations({ ...services, trackers: trackers().secrets, providers: providers() }, run);
  },
});
