/** What functions that create and link issues may read and write. */
import { dueIssues } from '#shared/model/due.ts';
import { issueTracking } from '#shared/model/issues/issue-automation.ts';
import { issueDrafts, knownIssues } from '#shared/model/issues/known-issue.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { creationTurns } from '#shared/model/organizations/creation-turn.ts';

export const LINKS_ISSUES = {
  table: 'readWrite',
  writes: [knownIssues, dueIssues, issueTracking, auditRecords, creationTurns],
  artifacts: 'read',
  trackers: 'read',
} as const;

export const CREATES_ISSUES = { ...LINKS_ISSUES, writes: [...LINKS_ISSUES.writes, issueDrafts] } as const;
