/**
 * All kinds of rows that belong to an organization and to no project, so that a removal misses none of them. A test
 * checks that each kind of row is listed here, goes with a run or a project, or outlives its organization.
 */
import type { RowKind } from '#shared/engine/table/entity.ts';
import { callSlots } from '#shared/model/call-slots.ts';
import { directoryEntries, getDirectorySpan } from '#shared/model/directory/directory-entry.ts';
import {
  directoryGroupMembers,
  directoryGroups,
  getDirectoryGroupsSpan,
} from '#shared/model/directory/directory-group.ts';
import { directoryNames } from '#shared/model/directory/directory-name.ts';
import { directoryValues } from '#shared/model/directory/directory-value.ts';
import { getScimTokensSpan, scimTokens, scimTokensOfOrganization } from '#shared/model/directory/scim-token.ts';
import { getIntegrationsSpan, integrations } from '#shared/model/issues/integration.ts';
import { grants, grantsOfAccount } from '#shared/model/oauth/oauth-grant.ts';
import { oauthItems } from '#shared/model/oauth/oauth-item.ts';
import { shardPlans } from '#shared/model/orchestration/shard-plan.ts';
import { jobTries } from '#shared/model/runs/build-tries.ts';
import { cachedVersions } from '#shared/model/runs/cached-version.ts';
import { imports } from '#shared/model/runs/import.ts';
import { legQuestions } from '#shared/model/runs/leg-question.ts';
import { deletions } from '#shared/model/runs/run.ts';
import { stoppedRuns } from '#shared/model/runs/stopped-run.ts';
import { usedChallenges } from '#shared/model/sign-in/challenge.ts';
import { companyIdentities, companyProviders, getIdentitiesSpan } from '#shared/model/sign-in/company-provider.ts';
import { confirmationCodes } from '#shared/model/sign-in/confirmation-code.ts';
import { passkeys, passkeysOfAccount } from '#shared/model/sign-in/passkey.ts';
import { getDomainsSpan, provenDomains, provenDomainsOfOrganization } from '#shared/model/sign-in/proven-domain.ts';
import { providerIdentities, providerIdentitiesOfAccount } from '#shared/model/sign-in/provider-identity.ts';
import { sessions, sessionsOfAccount } from '#shared/model/sign-in/session.ts';
import { linkOfAccount, signInLinks } from '#shared/model/sign-in/sign-in-link.ts';
import { submittedForms } from '#shared/model/submitted-form.ts';
import { monthsOfRequests, requestsOfCredentials, storedBytes } from '#shared/model/usage/usage.ts';
import { accounts, accountsByEmail, companyAccounts } from './account.ts';
import { adminNews } from './admin-news.ts';
import { apiKeys, apiKeysOfOrganization, getApiKeysSpan } from './api-key.ts';
import { auditRecords, getAuditSpan } from './audit-record.ts';
import { buildCredentials } from './build-credential.ts';
import { creationTurns, getCreationTurnsSpan } from './creation-turn.ts';
import { erasedAuthors, erasureKeys, erasures, getErasedPartition } from './erasure.ts';
import { getInvitationsSpan, invitations, invitationsBySecret } from './invitation.ts';
import { memberships, membershipsOfAccount } from './membership.ts';
import type { Organization } from './organization.ts';
import { getTokensSpan, personalTokens, tokensOfOrganization } from './personal-token.ts';
import type { RowsOf } from './rows-of-project.ts';
import { signInSettings } from './sign-in-settings.ts';

export const ROWS_OF_ORGANIZATION: readonly RowsOf<Pick<Organization, 'organizationId'>>[] = [
  {
    kinds: [apiKeysOfOrganization, apiKeys],
    partitions: (organization) => [getApiKeysSpan(organization).pk],
    leadsTo: (row) => apiKeys.key(apiKeysOfOrganization.load(row)).pk,
  },
  {
    kinds: [tokensOfOrganization, personalTokens],
    partitions: (organization) => [getTokensSpan(organization).pk],
    leadsTo: (row) => personalTokens.key(tokensOfOrganization.load(row)).pk,
  },
  {
    kinds: [invitations, invitationsBySecret],
    partitions: (organization) => [getInvitationsSpan(organization).pk],
    leadsTo: (row) => invitationsBySecret.key(invitations.load(row)).pk,
  },
  {
    kinds: [integrations],
    partitions: (organization) => [getIntegrationsSpan(organization).pk],
  },
  {
    kinds: [scimTokensOfOrganization, scimTokens],
    partitions: (organization) => [getScimTokensSpan(organization).pk],
    leadsTo: (row) => scimTokens.key(scimTokensOfOrganization.load(row)).pk,
  },
  {
    kinds: [directoryEntries, directoryGroups, directoryGroupMembers, directoryNames, directoryValues],
    partitions: (organization) => [
      getDirectorySpan(organization).pk,
      getDirectoryGroupsSpan(organization).pk,
      directoryGroupMembers.key({ ...organization, groupId: '', entryId: '' }).pk,
      directoryNames.key({ ...organization, of: 'USER', name: '' }).pk,
      directoryValues.key({ ...organization, of: 'EMAIL', value: '', entryId: '' }).pk,
    ],
  },
  {
    kinds: [signInSettings],
    partitions: (organization) => [signInSettings.key(organization).pk],
  },
  {
    kinds: [companyProviders],
    partitions: (organization) => [companyProviders.key(organization).pk],
  },
  {
    kinds: [companyIdentities],
    partitions: (organization) => [getIdentitiesSpan(organization).pk],
  },
  {
    kinds: [provenDomainsOfOrganization, provenDomains],
    partitions: (organization) => [getDomainsSpan(organization).pk],
    leadsTo: (row) => provenDomains.key(provenDomainsOfOrganization.load(row)).pk,
  },
  {
    kinds: [creationTurns],
    partitions: (organization) => [getCreationTurnsSpan(organization).pk],
  },
  {
    kinds: [callSlots],
    partitions: (organization) => [callSlots.key({ ...organization, work: 'webhooks', hookId: null }).pk],
  },
  {
    kinds: [monthsOfRequests, requestsOfCredentials, storedBytes],
    partitions: (organization) => [storedBytes.key(organization).pk],
  },
  {
    kinds: [adminNews],
    partitions: (organization) => [adminNews.key(organization).pk],
  },
  {
    kinds: [erasureKeys, erasedAuthors, erasures],
    partitions: (organization) => [getErasedPartition(organization)],
  },
  {
    kinds: [auditRecords],
    partitions: (organization) => [getAuditSpan(organization).pk],
  },
];

/** Of people in other organizations, only membership and grants here are deleted (`lifecycle/remove-people.ts`). */
export const ROWS_OF_PEOPLE: readonly RowKind[] = [
  accounts,
  accountsByEmail,
  companyAccounts,
  confirmationCodes,
  grants,
  grantsOfAccount,
  linkOfAccount,
  memberships,
  membershipsOfAccount,
  passkeys,
  passkeysOfAccount,
  providerIdentities,
  providerIdentitiesOfAccount,
  sessions,
  sessionsOfAccount,
  signInLinks,
];

/** No list contains their ids, so they are left to expire. Imports and OAuth clients last longest: 90 days. */
export const EXPIRING_ROWS: readonly RowKind[] = [
  buildCredentials,
  cachedVersions,
  deletions,
  imports,
  jobTries,
  legQuestions,
  shardPlans,
  oauthItems,
  stoppedRuns,
  submittedForms,
  usedChallenges,
];
