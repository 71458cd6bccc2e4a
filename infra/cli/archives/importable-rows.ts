/**
 * What an import may set, for each kind of row. Whoever made or changed an archive must not gain more than the
 * organization itself: no credential, account, limit or record of another organization or of the deployment. A test
 * fails if a kind of row is missing here, and the types if an attribute of a listed kind is.
 */
import { exportedDays } from '#shared/model/analytics/exported-day.ts';
import { factsParts } from '#shared/model/analytics/facts.ts';
import { analyticsNames } from '#shared/model/analytics/names.ts';
import { pendingRuns } from '#shared/model/analytics/pending.ts';
import { spanRoots } from '#shared/model/analytics/root.ts';
import { summaryParts } from '#shared/model/analytics/summary.ts';
import { callSlots } from '#shared/model/call-slots.ts';
import { checkpoints } from '#shared/model/checkpoint.ts';
import { directoryEntries } from '#shared/model/directory/directory-entry.ts';
import { directoryGroupMembers, directoryGroups } from '#shared/model/directory/directory-group.ts';
import { directoryNames } from '#shared/model/directory/directory-name.ts';
import { directoryValues } from '#shared/model/directory/directory-value.ts';
import { scimTokens, scimTokensOfOrganization } from '#shared/model/directory/scim-token.ts';
import {
  dueAnalytics,
  dueDeletions,
  dueDeliveries,
  dueErasures,
  dueFiles,
  dueIssues,
  dueNotifications,
  dueOrganizations,
  dueProjects,
  dueRuns,
} from '#shared/model/due.ts';
import { deliveries } from '#shared/model/events/delivery.ts';
import {
  type ChannelNotification,
  type HostNotification,
  type Notification,
  notifications,
} from '#shared/model/events/notification.ts';
import { notificationDeliveries } from '#shared/model/events/notification-delivery.ts';
import { notificationTargets } from '#shared/model/events/notification-target.ts';
import { outbox } from '#shared/model/events/outbox.ts';
import { outboxParked, outboxRetries } from '#shared/model/events/outbox-retry.ts';
import { webhooks, webhooksOfProject } from '#shared/model/events/webhook.ts';
import { integrations } from '#shared/model/issues/integration.ts';
import {
  automaticIssues,
  endedRuns,
  issueAutomation,
  issueQuarantines,
  issuesOfDay,
  issueTracking,
} from '#shared/model/issues/issue-automation.ts';
import { issueDrafts, knownIssues } from '#shared/model/issues/known-issue.ts';
import { TRACKER_KINDS } from '#shared/model/issues/tracker-kind.ts';
import { issuerKeys } from '#shared/model/oauth/issuer-keys.ts';
import { grants, grantsOfAccount } from '#shared/model/oauth/oauth-grant.ts';
import { oauthItems } from '#shared/model/oauth/oauth-item.ts';
import { sessionMachines } from '#shared/model/orchestration/machine.ts';
import { planPages } from '#shared/model/orchestration/plan.ts';
import { orchestrationSessions } from '#shared/model/orchestration/session.ts';
import { shardPlans } from '#shared/model/orchestration/shard-plan.ts';
import { tasks } from '#shared/model/orchestration/task.ts';
import { accounts, accountsByEmail, companyAccounts } from '#shared/model/organizations/account.ts';
import { activeOrganizations } from '#shared/model/organizations/active-organizations.ts';
import { adminNews } from '#shared/model/organizations/admin-news.ts';
import { apiKeys, apiKeysOfOrganization } from '#shared/model/organizations/api-key.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { badges, badgesOfProject } from '#shared/model/organizations/badge.ts';
import { buildCredentials } from '#shared/model/organizations/build-credential.ts';
import { creationTurns } from '#shared/model/organizations/creation-turn.ts';
import { erasedAuthors, erasureKeys, erasures } from '#shared/model/organizations/erasure.ts';
import { invitations, invitationsBySecret } from '#shared/model/organizations/invitation.ts';
import { memberships, membershipsOfAccount, ROLES } from '#shared/model/organizations/membership.ts';
import { allOrganizations, organizations } from '#shared/model/organizations/organization.ts';
import { personalTokens, tokensOfOrganization } from '#shared/model/organizations/personal-token.ts';
import { projects, projectsOfOrganization } from '#shared/model/organizations/project.ts';
import { SHARE_PURPOSES, shares, sharesOfProject } from '#shared/model/organizations/share.ts';
import { signInSettings } from '#shared/model/organizations/sign-in-settings.ts';
import { trustedRepositories } from '#shared/model/organizations/trusted-repository.ts';
import { artifacts } from '#shared/model/results/artifact.ts';
import { evidenceParts, traceAnalyses } from '#shared/model/results/evidence.ts';
import { failures } from '#shared/model/results/failures.ts';
import { history } from '#shared/model/results/history-row.ts';
import { instances } from '#shared/model/results/instance.ts';
import { detailsParts } from '#shared/model/results/instance-details.ts';
import { instanceResets } from '#shared/model/results/instance-reset.ts';
import { shownFiles } from '#shared/model/results/shown-files.ts';
import { suiteKeys } from '#shared/model/results/suite-keys.ts';
import { testRecords } from '#shared/model/results/test-record.ts';
import { uploadTallies } from '#shared/model/results/upload-tally.ts';
import { affectedTests } from '#shared/model/rules/affected-test.ts';
import { quarantinedTests } from '#shared/model/rules/quarantined-test.ts';
import { renamedTests } from '#shared/model/rules/renamed-test.ts';
import { appliedRules, archivedRules, rules } from '#shared/model/rules/rule.ts';
import { buildTries, jobTries } from '#shared/model/runs/build-tries.ts';
import { cachedVersions } from '#shared/model/runs/cached-version.ts';
import { completeRuns } from '#shared/model/runs/complete-run.ts';
import { groups } from '#shared/model/runs/group.ts';
import { imports } from '#shared/model/runs/import.ts';
import { joins } from '#shared/model/runs/join.ts';
import { knownTerms } from '#shared/model/runs/known-terms.ts';
import { legQuestions } from '#shared/model/runs/leg-question.ts';
import { progressRows } from '#shared/model/runs/progress.ts';
import { pullRequestRuns, runsOfPullRequest } from '#shared/model/runs/pull-request.ts';
import { recordingMachines } from '#shared/model/runs/recording-machine.ts';
import { deletions, runs, runsOfProject } from '#shared/model/runs/run.ts';
import { runsOfGithubBuild } from '#shared/model/runs/run-of-build.ts';
import { runsOfCommit } from '#shared/model/runs/run-of-commit.ts';
import { runProblems } from '#shared/model/runs/run-problem.ts';
import { runWords } from '#shared/model/runs/run-word.ts';
import { startLocks } from '#shared/model/runs/start-lock.ts';
import { stoppedRuns } from '#shared/model/runs/stopped-run.ts';
import { storedSuites } from '#shared/model/runs/stored-suites.ts';
import { terms } from '#shared/model/runs/term.ts';
import { challengeSecret, usedChallenges } from '#shared/model/sign-in/challenge.ts';
import { companyIdentities, companyProviders } from '#shared/model/sign-in/company-provider.ts';
import { confirmationCodes } from '#shared/model/sign-in/confirmation-code.ts';
import { passkeys, passkeysOfAccount } from '#shared/model/sign-in/passkey.ts';
import { provenDomains, provenDomainsOfOrganization } from '#shared/model/sign-in/proven-domain.ts';
import { providerIdentities, providerIdentitiesOfAccount } from '#shared/model/sign-in/provider-identity.ts';
import { sessions, sessionsOfAccount } from '#shared/model/sign-in/session.ts';
import { linkOfAccount, signInLinks } from '#shared/model/sign-in/sign-in-link.ts';
import { submittedForms } from '#shared/model/submitted-form.ts';
import { monthsOfRequests, requestsOfCredentials, storedBytes } from '#shared/model/usage/usage.ts';
import { ORGANIZATION_LIMITS } from '#shared/organizations/limits.ts';
import { SHARE_LIMITS } from '#shared/shares/limits.ts';
import {
  absent,
  alwaysNull,
  atMost,
  count,
  emptyList,
  flag,
  list,
  map,
  nullable,
  number,
  oneOf,
  optional,
  past,
  seconds,
  text,
  within,
} from './attribute-checks.ts';
import { allowAllAttributes, allowAttributes, type Importable, leaveOut } from './importable.ts';

const DAY = 86_400_000;
const LONGEST_TOKEN = 367 * DAY;
const LONGEST_SHARE = (Math.max(...SHARE_LIMITS.days) + 1) * DAY;

const receiver = {
  organizationId: text,
  projectId: text,
  hookId: text,
  updatedAt: number,
  disabled: optional(map),
  failingSince: optional(number),
  failures: count,
  pausedUntil: optional(number),
  createdAt: number,
} as const;

/** All kinds of rows by their type. */
export const IMPORTABLE: ReadonlyMap<string, Importable> = new Map(
  [
    // The organization, its people and its credentials.
    allowAttributes(
      accounts,
      {
        accountId: text,
        email: text,
        name: text,
        createdAt: number,
        // The import sets `passkeys` and `unproven` itself.
        passkeys: (value) => value === 0,
        unproven: absent,
        identities: absent,
        leaving: absent,
        // Checked against the organization of the archive.
        managedBy: optional(text),
      },
      { kind: 'people' },
    ),
    allowAttributes(accountsByEmail, { email: text, accountId: text }, { kind: 'people' }),
    allowAttributes(companyAccounts, { organizationId: text, email: text, accountId: text }, { kind: 'people' }),
    allowAttributes(apiKeys, {
      hash: text,
      keyId: text,
      organizationId: text,
      label: text,
      level: optional(oneOf('readOnly', 'readWrite')),
      lastFour: text,
      createdAt: number,
      createdBy: optional(text),
    }),
    allowAttributes(
      apiKeysOfOrganization,
      { organizationId: text, keyId: text, createdAt: number, hash: text },
      { leadsTo: (row) => apiKeys.key(apiKeysOfOrganization.load(row)) },
    ),
    allowAttributes(
      auditRecords,
      {
        organizationId: text,
        at: number,
        auditId: text,
        actor: text,
        action: text,
        subject: text,
        label: optional(text),
        detail: text,
        imported: optional(flag),
      },
      { sets: () => ({ imported: true }) },
    ),
    // The key goes along, so that recordings in the other deployment get the same pseudonyms.
    allowAttributes(erasureKeys, { organizationId: text, secret: text }),
    allowAttributes(erasedAuthors, { organizationId: text, digest: text, code: text }),
    allowAttributes(erasures, {
      organizationId: text,
      code: text,
      startedAt: number,
      startedBy: text,
      doneAt: optional(number),
      search: optional(map),
      pass: optional(count),
      position: optional(text),
      runs: count,
      left: count,
    }),
    allowAttributes(badges, {
      badgeId: text,
      organizationId: text,
      projectId: text,
      branch: text,
      label: text,
      createdAt: number,
      state: optional(map),
    }),
    allowAttributes(
      badgesOfProject,
      { organizationId: text, projectId: text, badgeId: text, branch: text },
      { leadsTo: (row) => badges.key(badgesOfProject.load(row)) },
    ),
    allowAttributes(
      invitations,
      {
        organizationId: text,
        email: text,
        role: oneOf(...ROLES),
        hash: text,
        invitedBy: text,
        createdAt: number,
        validUntil: within(ORGANIZATION_LIMITS.invitationMilliseconds),
      },
      { leadsTo: (row) => invitationsBySecret.key(invitations.load(row)) },
    ),
    allowAttributes(invitationsBySecret, { hash: text, organizationId: text, email: text }),
    allowAttributes(memberships, { organizationId: text, accountId: text, role: oneOf(...ROLES), startedAt: number }),
    allowAttributes(membershipsOfAccount, { organizationId: text, accountId: text }),
    // The directory of the company. It gets a new token in this deployment.
    allowAttributes(directoryEntries, {
      organizationId: text,
      entryId: text,
      userName: text,
      externalId: optional(text),
      displayName: optional(text),
      name: optional(map),
      emails: optional(list),
      active: flag,
      accountId: text,
      groups: list,
      role: oneOf(...ROLES),
      createdAt: number,
      updatedAt: number,
      version: count,
    }),
    allowAttributes(directoryGroups, {
      organizationId: text,
      groupId: text,
      displayName: text,
      externalId: optional(text),
      rolesDue: optional(flag),
      createdAt: number,
      updatedAt: number,
      version: count,
    }),
    allowAttributes(directoryGroupMembers, { organizationId: text, groupId: text, entryId: text }),
    allowAttributes(directoryNames, {
      organizationId: text,
      of: oneOf('USER', 'GROUP', 'ACCOUNT'),
      name: text,
      id: text,
    }),
    allowAttributes(directoryValues, {
      organizationId: text,
      of: oneOf('EXTERNAL', 'EMAIL'),
      value: text,
      entryId: text,
    }),
    allowAttributes(signInSettings, {
      organizationId: text,
      defaultRole: optional(oneOf(...ROLES)),
      groupRoles: optional(list),
      updatedAt: number,
    }),
    allowAttributes(personalTokens, {
      hash: text,
      tokenId: text,
      organizationId: text,
      accountId: text,
      name: text,
      description: nullable(text),
      permissions: list,
      lastFour: text,
      createdAt: number,
      validUntil: within(LONGEST_TOKEN),
      lastUsedAt: optional(number),
      revokedAt: optional(number),
    }),
    allowAttributes(
      tokensOfOrganization,
      { organizationId: text, tokenId: text, createdAt: number, hash: text },
      { leadsTo: (row) => personalTokens.key(tokensOfOrganization.load(row)) },
    ),
    allowAttributes(shares, {
      hash: text,
      shareId: text,
      organizationId: text,
      projectId: text,
      accountId: text,
      purpose: oneOf(...SHARE_PURPOSES),
      label: text,
      runId: text,
      instanceId: optional(text),
      testId: optional(text),
      attempt: optional(count),
      createdAt: past,
      expiresAt: seconds(within(LONGEST_SHARE)),
      opens: count,
      lastOpenedAt: optional(number),
    }),
    allowAttributes(
      sharesOfProject,
      {
        organizationId: text,
        projectId: text,
        shareId: text,
        hash: text,
        expiresAt: seconds(within(LONGEST_SHARE)),
      },
      { leadsTo: (row) => shares.key(sharesOfProject.load(row)) },
    ),
    // Projects, and where they send something.
    allowAttributes(projects, {
      organizationId: text,
      projectId: text,
      name: text,
      createdAt: number,
      inactivityTimeoutSeconds: atMost(ORGANIZATION_LIMITS.inactivityTimeoutSeconds.maximum),
      failFast: flag,
      defaultBranchName: text,
      retention: optional(map),
      tags: optional(list),
      gateNewFailures: optional(flag),
      gateMissingTests: optional(flag),
      deletesAt: optional(number),
      webhookCount: optional(count),
    }),
    allowAttributes(projectsOfOrganization, { organizationId: text, projectId: text, createdAt: number }),
    allowAttributes(integrations, {
      organizationId: text,
      integrationId: text,
      kind: oneOf(...TRACKER_KINDS),
      name: text,
      apiUrl: text,
      account: optional(text),
      projectIds: optional(list),
      secretName: absent,
      createdAt: number,
      updatedAt: number,
      refused: optional(map),
      pausedUntil: optional(number),
      failures: optional(count),
    }),
    allowAttributes<Pick<Notification, 'organizationId' | 'hookId'>, HostNotification | ChannelNotification>(
      notifications,
      {
        ...receiver,
        secretName: absent,
        kind: text,
        runs: optional(text),
        branches: optional(list),
        apiUrl: optional(text),
        repository: optional(text),
        context: optional(text),
        sendsStatus: optional(flag),
        comments: optional(flag),
        markerKey: optional(text),
      },
    ),
    allowAttributes(webhooks, {
      ...receiver,
      url: text,
      headers: alwaysNull,
      hookEvents: list,
      label: nullable(text),
      secrets: emptyList,
    }),
    allowAttributes(webhooksOfProject, { organizationId: text, projectId: text, hookId: text }),
    // What was sent, rules, and what is known about the issues of tests.
    allowAllAttributes(deliveries),
    allowAllAttributes(notificationDeliveries),
    allowAllAttributes(notificationTargets),
    allowAllAttributes(knownIssues),
    allowAllAttributes(issueDrafts),
    allowAllAttributes(issueAutomation),
    allowAllAttributes(issueTracking),
    allowAllAttributes(issueQuarantines),
    allowAllAttributes(issuesOfDay),
    allowAllAttributes(automaticIssues),
    allowAllAttributes(endedRuns),
    allowAllAttributes(rules),
    allowAllAttributes(appliedRules),
    allowAllAttributes(archivedRules),
    allowAllAttributes(renamedTests),
    allowAllAttributes(affectedTests),
    // Runs and their results.
    // No job has proven anything to this deployment.
    allowAllAttributes(runs, undefined, { sets: ({ origin }) => (origin ? { hasOtherOrigins: true } : {}) }),
    allowAllAttributes(runsOfProject),
    allowAllAttributes(runsOfCommit),
    allowAllAttributes(runsOfGithubBuild),
    allowAllAttributes(runsOfPullRequest),
    allowAllAttributes(pullRequestRuns),
    allowAllAttributes(completeRuns),
    allowAllAttributes(runWords),
    allowAllAttributes(runProblems),
    allowAllAttributes(terms),
    allowAllAttributes(groups),
    allowAllAttributes(joins),
    allowAllAttributes(progressRows),
    allowAllAttributes(storedSuites),
    allowAllAttributes(recordingMachines),
    allowAllAttributes(startLocks),
    allowAllAttributes(buildTries),
    allowAllAttributes(jobTries),
    allowAllAttributes(legQuestions),
    allowAllAttributes(shardPlans),
    allowAllAttributes(imports),
    allowAllAttributes(deletions),
    allowAllAttributes(stoppedRuns),
    allowAllAttributes(instances),
    allowAllAttributes(detailsParts),
    allowAllAttributes(instanceResets),
    allowAllAttributes(testRecords),
    allowAllAttributes(evidenceParts),
    allowAllAttributes(traceAnalyses),
    allowAllAttributes(suiteKeys),
    allowAllAttributes(uploadTallies),
    allowAllAttributes(artifacts, ({ instanceId, objectName }) => [instanceId, objectName]),
    allowAllAttributes(shownFiles, ({ instanceId, pictures, video, traces }) => [
      instanceId,
      ...Object.keys({ ...pictures, ...traces }),
      video?.o,
    ]),
    allowAllAttributes(failures),
    allowAllAttributes(quarantinedTests),
    allowAllAttributes(history),
    allowAllAttributes(orchestrationSessions),
    allowAllAttributes(sessionMachines),
    allowAllAttributes(planPages),
    allowAllAttributes(tasks),
    // Totals.
    allowAllAttributes(factsParts),
    allowAllAttributes(analyticsNames),
    allowAllAttributes(pendingRuns),
    allowAllAttributes(spanRoots),
    allowAllAttributes(summaryParts),
    // Work that is due.
    allowAllAttributes(dueAnalytics),
    allowAllAttributes(dueDeletions),
    allowAllAttributes(dueDeliveries),
    allowAllAttributes(dueFiles),
    allowAllAttributes(dueIssues),
    allowAllAttributes(dueNotifications),
    allowAllAttributes(dueErasures),
    allowAllAttributes(dueProjects),
    allowAllAttributes(dueRuns),
    // Leases, caches, checkpoints and unsent events are useful only for a short time and in this deployment.
    ...[cachedVersions, callSlots, checkpoints, outbox, outboxParked, outboxRetries].map(leaveOut),
    // Each deployment makes its own exported days and counts of use and of news. The import makes the rows of the organization itself.
    ...[adminNews, exportedDays, monthsOfRequests, requestsOfCredentials, storedBytes].map(leaveOut),
    ...[activeOrganizations, organizations, allOrganizations, dueOrganizations].map(leaveOut),
    // Another deployment signs tokens with other keys. People prove who they are to each deployment.
    ...[scimTokens, scimTokensOfOrganization].map(leaveOut),
    // Executions may be recorded after the terms were read, and before the history is.
    ...[knownTerms].map(leaveOut),
    // The tokens of CI jobs are for the address of one deployment.
    ...[buildCredentials, trustedRepositories].map(leaveOut),
    ...[grants, grantsOfAccount, oauthItems, passkeys, passkeysOfAccount].map(leaveOut),
    ...[sessions, sessionsOfAccount, signInLinks, linkOfAccount, confirmationCodes].map(leaveOut),
    ...[challengeSecret, companyIdentities, companyProviders, usedChallenges].map(leaveOut),
    ...[providerIdentities, providerIdentitiesOfAccount, provenDomains, provenDomainsOfOrganization].map(leaveOut),
    ...[creationTurns, issuerKeys, submittedForms].map(leaveOut),
  ].map((one) => [one.type, one]),
);
