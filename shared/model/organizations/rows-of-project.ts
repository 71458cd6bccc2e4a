/**
 * All kinds of rows that belong to a project and to no run, so that a deletion misses none of them. A test checks that
 * each kind of row is listed here, goes with a run, or outlives its project.
 */
import { type Attributes, getPartitionSpan, type RowKind, type Span } from '#shared/engine/table/entity.ts';
import { exportedDays, getExportedDaysSpan, getExportKey } from '#shared/model/analytics/exported-day.ts';
import { analyticsNames, getNamesSpan } from '#shared/model/analytics/names.ts';
import { getPendingRunsSpan, pendingRuns } from '#shared/model/analytics/pending.ts';
import { getRootsSpan, spanRoots } from '#shared/model/analytics/root.ts';
import { summaryParts } from '#shared/model/analytics/summary.ts';
import { deliveries } from '#shared/model/events/delivery.ts';
import { listNotificationKeys, notifications } from '#shared/model/events/notification.ts';
import { notificationDeliveries } from '#shared/model/events/notification-delivery.ts';
import { notificationTargets } from '#shared/model/events/notification-target.ts';
import { getWebhooksSpan, webhooks, webhooksOfProject } from '#shared/model/events/webhook.ts';
import {
  automaticIssues,
  endedRuns,
  issueAutomation,
  issueQuarantines,
  issuesOfDay,
  issueTracking,
} from '#shared/model/issues/issue-automation.ts';
import { getIssuesPartition, issueDrafts, knownIssues } from '#shared/model/issues/known-issue.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import { renamedTests } from '#shared/model/rules/renamed-test.ts';
import { appliedRules, archivedRules, getRulesSpan, rules } from '#shared/model/rules/rule.ts';
import { knownTerms } from '#shared/model/runs/known-terms.ts';
import { getTermsSpan, TERM_TYPES, terms } from '#shared/model/runs/term.ts';
import { badges, badgesOfProject, getBadgesSpan } from './badge.ts';
import { creationTurns, getCreationTurnsSpan } from './creation-turn.ts';
import { getSharesSpan, shares, sharesOfProject } from './share.ts';
import { getTrustedRepositoriesSpan, trustedRepositories } from './trusted-repository.ts';

/** Rows that belong to a project or an organization, and how a removal finds them. */
export interface RowsOf<Owner> {
  /** The kinds of the rows in the partitions, and of the rows to which those rows lead. */
  readonly kinds: readonly RowKind[];
  readonly partitions: (owner: Owner) => readonly string[];
  /** The partition to which a row leads. This partition is removed before the row. */
  readonly leadsTo?: (row: Attributes) => string;
  /** The key of the object to which a row leads. The object is removed before the row. */
  readonly objectOf?: (row: Attributes) => string;
}

export const ROWS_OF_PROJECT: readonly RowsOf<ProjectKey>[] = [
  {
    kinds: [analyticsNames],
    partitions: (project) => [getNamesSpan({ ...project, kind: 'TEST' }).pk],
  },
  {
    kinds: [pendingRuns],
    partitions: (project) => [getPendingRunsSpan(project, 0, 0).pk],
  },
  {
    kinds: [spanRoots, summaryParts],
    partitions: (project) => [getRootsSpan(project, 0, 0).pk],
    leadsTo: (row) => summaryParts.key({ ...spanRoots.load(row), kind: 'index', cut: '', part: 0 }).pk,
  },
  {
    kinds: [exportedDays],
    partitions: (project) => [getExportedDaysSpan(project).pk],
    objectOf: (row) => getExportKey(exportedDays.load(row)),
  },
  {
    kinds: [rules, archivedRules, appliedRules, renamedTests],
    partitions: (project) => [getRulesSpan(project).pk],
  },
  {
    kinds: [
      knownIssues,
      issueDrafts,
      issueAutomation,
      issueTracking,
      endedRuns,
      automaticIssues,
      issuesOfDay,
      issueQuarantines,
    ],
    partitions: (project) => [getIssuesPartition(project)],
  },
  {
    kinds: [terms],
    partitions: (project) => TERM_TYPES.map((termType) => getTermsSpan({ ...project, termType }).pk),
  },
  {
    kinds: [knownTerms],
    partitions: (project) => [knownTerms.key(project).pk],
  },
  {
    kinds: [webhooksOfProject, webhooks, deliveries],
    partitions: (project) => [getWebhooksSpan(project).pk],
    leadsTo: (row) => webhooks.key(webhooksOfProject.load(row)).pk,
  },
  {
    kinds: [notifications, notificationDeliveries, notificationTargets],
    partitions: (project) => listNotificationKeys(project).map((key) => notifications.key(key).pk),
  },
  {
    kinds: [badgesOfProject, badges],
    partitions: (project) => [getBadgesSpan(project).pk],
    leadsTo: (row) => badges.key(badgesOfProject.load(row)).pk,
  },
  {
    kinds: [trustedRepositories],
    partitions: (project) => [getTrustedRepositoriesSpan(project).pk],
  },
  {
    kinds: [creationTurns],
    partitions: (project) => [getCreationTurnsSpan(project).pk],
  },
  {
    kinds: [sharesOfProject, shares],
    partitions: (project) => [getSharesSpan(project).pk],
    leadsTo: (row) => shares.key(sharesOfProject.load(row)).pk,
  },
];

export const getPartitionSpans = (keys: readonly string[]): Span[] => [...new Set(keys)].map(getPartitionSpan);
