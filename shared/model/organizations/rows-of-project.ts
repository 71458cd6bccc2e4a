/**
 * All kinds of rows that belong to a project and to no run, so that a deletion misses none of them. A test checks that
 * each kind of row is listed here, goes with a run, or outlives its project.
 */
import { type Attributes, type RowKind, type Span, wholePartition } from '#shared/engine/table/entity.ts';
import { exportedDays, exportKey } from '#shared/model/analytics/exported-day.ts';
import { analyticsNames } from '#shared/model/analytics/names.ts';
import { pendingRuns } from '#shared/model/analytics/pending.ts';
import { spanRoots } from '#shared/model/analytics/root.ts';
import { summaryParts } from '#shared/model/analytics/summary.ts';
import { deliveries } from '#shared/model/events/delivery.ts';
import { notificationKeys, notifications } from '#shared/model/events/notification.ts';
import { notificationDeliveries } from '#shared/model/events/notification-delivery.ts';
import { notificationTargets } from '#shared/model/events/notification-target.ts';
import { webhooks, webhooksOfProject } from '#shared/model/events/webhook.ts';
import { TERM_TYPES, terms } from '#shared/model/runs/term.ts';
import {
  automaticIssues,
  endedRuns,
  issueAutomation,
  issueQuarantines,
  issueTracking,
} from '#shared/model/tests/issue-automation.ts';
import { issueDrafts, knownIssues } from '#shared/model/tests/known-issue.ts';
import { appliedRules, archivedRules, rules } from '#shared/model/tests/rule.ts';
import { badges, badgesOfProject } from './badge.ts';
import type { ProjectRecord } from './project.ts';
import { shares, sharesOfProject } from './share.ts';

type ProjectKey = Pick<ProjectRecord, 'organizationId' | 'projectId'>;

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
    partitions: (project) => [analyticsNames.key({ ...project, kind: 'TEST', row: 0 }).pk],
  },
  {
    kinds: [pendingRuns],
    partitions: (project) => [pendingRuns.key({ ...project, runId: '', createdAt: 0, version: 0 }).pk],
  },
  {
    kinds: [spanRoots, summaryParts],
    partitions: (project) => [spanRoots.key({ ...project, level: 0, start: 0 }).pk],
    leadsTo: (row) => summaryParts.key({ ...spanRoots.load(row), kind: 'index', cut: '', part: 0 }).pk,
  },
  {
    kinds: [exportedDays],
    partitions: (project) => [exportedDays.key({ ...project, day: '' }).pk],
    objectOf: (row) => exportKey(exportedDays.load(row)),
  },
  {
    kinds: [rules, archivedRules, appliedRules],
    partitions: (project) => [appliedRules.key(project).pk],
  },
  {
    kinds: [knownIssues, issueDrafts, issueAutomation, issueTracking, endedRuns, automaticIssues, issueQuarantines],
    partitions: (project) => [issueAutomation.key(project).pk],
  },
  {
    kinds: [terms],
    partitions: (project) => TERM_TYPES.map((termType) => terms.key({ ...project, termType, value: '' }).pk),
  },
  {
    kinds: [webhooksOfProject, webhooks, deliveries],
    partitions: (project) => [webhooksOfProject.key({ ...project, hookId: '' }).pk],
    leadsTo: (row) => webhooks.key(webhooksOfProject.load(row)).pk,
  },
  {
    kinds: [notifications, notificationDeliveries, notificationTargets],
    partitions: (project) => notificationKeys(project).map((key) => notifications.key(key).pk),
  },
  {
    kinds: [badgesOfProject, badges],
    partitions: (project) => [badgesOfProject.key({ ...project, badgeId: '' }).pk],
    leadsTo: (row) => badges.key(badgesOfProject.load(row)).pk,
  },
  {
    kinds: [sharesOfProject, shares],
    partitions: (project) => [sharesOfProject.key({ ...project, shareId: '' }).pk],
    leadsTo: (row) => shares.key(sharesOfProject.load(row)).pk,
  },
];

export const wholePartitions = (keys: readonly string[]): Span[] => [...new Set(keys)].map(wholePartition);
