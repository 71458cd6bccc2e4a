/** §4.4.12 Builds one row per rule that matched a finished test. A test that no rule matched causes no extra writes. */

import { extractProjectId } from '#shared/model/ids.ts';
import type { HistoryRow } from '#shared/model/results/history-row.ts';
import type { AffectedTest } from '#shared/model/rules/affected-test.ts';
import { parseRuleMarks } from '#shared/model/rules/rule-marks.ts';

export function buildAffectedRows(row: HistoryRow): AffectedTest[] {
  const { organizationId, projectId, signature, spec, title, testId, groupId, branch } = row;
  const marks = parseRuleMarks(row.annotations);
  return listMatchedActionIds(row).map((actionId) => ({
    organizationId,
    projectId,
    signature,
    spec,
    title,
    testId,
    groupId,
    branch,
    actionId,
    recordedAt: row.recordedAt,
    recordId: row.recordId,
    outcome: row.outcome,
    flaky: row.flaky,
    types: marks.flatMap((mark) => (mark.actionId === actionId ? [mark.type] : [])),
    expiresAt: row.expiresAt,
  }));
}

/** Clients write the annotations, and may name rules of other projects, which are left out. */
export const listMatchedActionIds = ({
  projectId,
  annotations,
}: Pick<HistoryRow, 'projectId' | 'annotations'>): string[] => [
  ...new Set(
    parseRuleMarks(annotations).flatMap(({ actionId }) => (extractProjectId(actionId) === projectId ? [actionId] : [])),
  ),
];

/** Whether a quarantine rule matched a test that did not pass. */
export const isQuarantined = (row: Pick<HistoryRow, 'projectId' | 'annotations' | 'outcome'>): boolean =>
  row.outcome !== 'passed' &&
  parseRuleMarks(row.annotations).some(
    ({ type, actionId }) => type === 'quarantine' && extractProjectId(actionId) === row.projectId,
  );
