/**
 * All kinds of rows that belong to an organization and to no project, so that a removal misses none of them. A test
 * checks that each kind of row is listed here, goes with a run or a project, or outlives its organization.
 */
import type { RowKind } from '#shared/engine/table/entity.ts';
import { callSlots } from '#shared/model/call-slots.ts';
import { jobTries } from '#shared/model/runs/build-tries.ts';
import { cachedVersions } from '#shared/model/runs/cached-version.ts';
import { imports } from '#shared/model/runs/import.ts';
import { deletions } from '#shared/model/runs/run.ts';
import { submittedForms } from '#shared/model/submitted-form.ts';
import { accounts, accountsByEmail } from './account.ts';
import { apiKeys, apiKeysOfOrganization, getApiKeysSpan } from './api-key.ts';
import { auditRecords, getAuditSpan } from './audit-record.ts';
import { usedChallenges } from './challenge.ts';
import { confirmationCodes } from './confirmation-code.ts';
import { creationTurns, getCreationTurnsSpan } from './creation-turn.ts';
import { getIntegrationsSpan, integrations } from './integration.ts';
import { getInvitationsSpan, invitations, invitationsBySecret } from './invitation.ts';
import { memberships, membershipsOfAccount } from './membership.ts';
import { grants, grantsOfAccount } from './oauth-grant.ts';
import { oauthItems } from './oauth-item.ts';
import type { Organization } from './organization.ts';
import { passkeys, passkeysOfAccount } from './passkey.ts';
import { getTokensSpan, personalTokens, tokensOfOrganization } from './personal-token.ts';
import type { RowsOf } from './rows-of-project.ts';
import { sessions, sessionsOfAccount } from './session.ts';
import { linkOfAccount, signInLinks } from './sign-in-link.ts';
import { monthsOfRequests, requestsOfCredentials, storedBytes } from './usage.ts';

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
    kinds: [auditRecords],
    partitions: (organization) => [getAuditSpan(organization).pk],
  },
];

/** Of people in other organizations, only membership and grants here are deleted (`lifecycle/remove-people.ts`). */
export const ROWS_OF_PEOPLE: readonly RowKind[] = [
  accounts,
  accountsByEmail,
  confirmationCodes,
  grants,
  grantsOfAccount,
  linkOfAccount,
  memberships,
  membershipsOfAccount,
  passkeys,
  passkeysOfAccount,
  sessions,
  sessionsOfAccount,
  signInLinks,
];

/** No list contains their ids, so they are left to expire. Imports and OAuth clients last longest: 90 days. */
export const EXPIRING_ROWS: readonly RowKind[] = [
  cachedVersions,
  deletions,
  imports,
  jobTries,
  oauthItems,
  submittedForms,
  usedChallenges,
];
