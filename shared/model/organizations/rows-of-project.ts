/**
 * All kinds of rows that belong to a project and to no run, so that a deletion misses none of them. A test checks that
 * each kind of row is listed here, goes with a run, or outlives its project.
 */
import { type Attributes, type RowKind, type Span, wholePartition } from '#shared/engine/table/entity.ts';
import { exportedDays, exportedDaysOf, exportKey } from '#shared/model/analytics/exported-day.ts';
import { analyticsNames, namesSpan } from '#shared/model/analytics/names.ts';
import { pendingRuns, pendingSpan } from '#shared/model/analytics/pending.ts';
import { rootsSpan, spanRoots } from '#shared/model/analytics/root.ts';
import { summaryParts } from '#shared/model/analytics/summary.ts';
import { deliveries } from '#shared/model/events/delivery.ts';
import { notificationKeys, notifications } from '#shared/model/events/notification.ts';
import { notificationDeliveries } from '#shared/model/events/notification-delivery.ts';
import { notificationTargets } from '#shared/model/events/notification-target.ts';
import { webhooks, webhooksOfProject, webhooksSpan } from '#shared/model/events/webhook.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import { TERM_TYPES, terms, termsSpan } from '#shared/model/runs/term.ts';
import {
  automaticIssues,
  endedRuns,
  issueAutomation,
  issueQuarantines,
  issuesOfDay,
  issueTracking,
} from '#shared/model/tests/issue-automation.ts';
import { issueDrafts, issuesPartition, knownIssues } from '#shared/model/tests/known-issue.ts';
import { renamedTests } from '#shared/model/tests/renamed-test.ts';
import { appliedRules, archivedRules, rules, rulesSpan } from '#shared/model/tests/rule.ts';
import { badges, badgesOfProject, badgesSpan } from './badge.ts';
import { creationTurns, turnsSpan } from './creation-turn.ts';
import { shares, sharesOfProject, sharesSpan } from './share.ts';

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
    partitions: (project) => [namesSpan({ ...project, kind: 'TEST' }).pk],
  },
  {
    kinds: [pendingRuns],
    partitions: (project) => [pendingSpan(project, 0, 0).pk],
  },
  {
    kinds: [spanRoots, summaryParts],
    partitions: (project) => [rootsSpan(project, 0, 0).pk],
    leadsTo: (row) => summaryParts.key({ ...spanRoots.load(row), kind: 'index', cut: '', part: 0 }).pk,
  },
  {
    kinds: [exportedDays],
    partitions: (project) => [exportedDaysOf(project).pk],
    objectOf: (row) => exportKey(exportedDays.load(row)),
  },
  {
    kinds: [rules, archivedRules, appliedRules, renamedTests],
    partitions: (project) => [rulesSpan(project).pk],
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
    partitions: (project) => [issuesPartition(project)],
  },
  {
    kinds: [terms],
    partitions: (project) => TERM_TYPES.map((termType) => termsSpan({ ...project, termType }).pk),
  },
  {
    kinds: [webhooksOfProject, webhooks, deliveries],
    partitions: (project) => [webhooksSpan(project).pk],
    leadsTo: (row) => webhooks.key(webhooksOfProject.load(row)).pk,
  },
  {
    kinds: [notifications, notificationDeliveries, notificationTargets],
    partitions: (project) => notificationKeys(project).map((key) => notifications.key(key).pk),
  },
  {
    kinds: [badgesOfProject, badges],
    partitions: (project) => [badgesSpan(project).pk],
    leadsTo: (row) => badges.key(badgesOfProject.load(row)).pk,
  },
  {
    kinds: [creationTurns],
    partitions: (project) => [turnsSpan(project).pk],
  },
  {
    kinds: [sharesOfProject, shares],
    partitions: (project) => [sharesSpan(project).pk],
    leadsTo: (row) => shares.key(sharesOfProject.load(row)).pk,
  },
];

export const wholePartitions = (keys: readonly string[]): Span[] => [...new Set(keys)].map(wholePartition);
