import { trackIssues } from '#shared/issues/automation/track-issues.ts';
import { dueIssues } from '#shared/model/due.ts';
import { integrations } from '#shared/model/issues/integration.ts';
import {
  automaticIssues,
  endedRuns,
  issueQuarantines,
  issuesOfDay,
  issueTracking,
} from '#shared/model/issues/issue-automation.ts';
import { issueDrafts, knownIssues } from '#shared/model/issues/known-issue.ts';
import { adminNews } from '#shared/model/organizations/admin-news.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { creationTurns } from '#shared/model/organizations/creation-turn.ts';
import { appliedRules, archivedRules, rules } from '#shared/model/rules/rule.ts';
import { connectTrackers } from '#shared/platform/connect.ts';
import { schedule } from '#shared/platform/schedule.ts';

const trackers = connectTrackers();

/** §5.2 */
export const handler = schedule({
  name: 'trackIssues',
  expression: 'rate(5 minutes)',
  access: {
    table: 'readWrite',
    writes: [
      adminNews,
      appliedRules,
      archivedRules,
      auditRecords,
      automaticIssues,
      creationTurns,
      dueIssues,
      endedRuns,
      integrations,
      issueDrafts,
      issueQuarantines,
      issuesOfDay,
      issueTracking,
      knownIssues,
      rules,
    ],
    artifacts: 'read',
    trackers: 'read',
  },
  summary:
    'Reads the states of issues from their trackers, and creates, comments on and closes issues as the settings of projects say',
  timeoutSeconds: 240,
  retrySeconds: 60,
  metrics: ['looked', 'failed', 'lateSeconds'],
  handle: (services, run) => trackIssues({ ...services, ...trackers() }, run),
});
