/** §4.4.12 Lists the executions that a rule matched, or the executions of one test that any rule matched. */

import { formatIsoTime } from '#shared/engine/http/date-time.ts';
import { refuseEmptyRange } from '#shared/engine/http/instant.ts';
import { makeRowReader, planReads } from '#shared/engine/http/page-source.ts';
import { type Page, parseWalk, readPage } from '#shared/engine/http/pagination.ts';
import { findProject } from '#shared/find-project.ts';
import { extractRunId, splitRecordId } from '#shared/model/ids.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import { getHistorySpan, HISTORY_ATTRIBUTES, type HistoryRow, history } from '#shared/model/results/history-row.ts';
import { type AffectedTest, affectedTests, getAffectedTestsSpan } from '#shared/model/rules/affected-test.ts';
import { parseRuleMarks, type RuleMark } from '#shared/model/rules/rule-marks.ts';
import { contains } from '#shared/results/contains.ts';
import { RESULT_LIMITS } from '#shared/results/limits.ts';
import type { Services } from '#shared/services.ts';
import type { ExecutionsQuery } from './affected-wire.ts';
import { findRule, type RuleId } from './find-rule.ts';

type RuleExecution = Pick<
  HistoryRow & AffectedTest,
  'recordedAt' | 'recordId' | 'signature' | 'spec' | 'title' | 'testId' | 'groupId' | 'branch' | 'outcome' | 'flaky'
> & { readonly actions: readonly RuleMark[] };

type ExecutionsRequest = { readonly query: ExecutionsQuery };

export async function listExecutionsOfRule(services: Services, { query, ...id }: RuleId & ExecutionsRequest) {
  refuseEmptyRange(query.date_start, query.date_end);
  const rule = await findRule(services, id);
  const scope = { list: `actions ${rule.actionId}`, filters: { search: query.search } };
  const cursors = await services.cursors(rule.organizationId, scope);
  const source = {
    span: getAffectedTestsSpan(rule, query.date_start, query.date_end),
    reads: planReads(query.limit, { isFiltered: query.search !== undefined, most: RESULT_LIMITS.filteredReadRows }),
    read: makeRowReader(services.table, affectedTests),
    select: (rows: readonly AffectedTest[]) => rows.map((row) => selectExecution(query, toExecution(row))),
  };
  return presentPage(await readPage(source, query.limit, parseWalk(query, cursors)), cursors.seal);
}

export async function listExecutionsOfTest(
  services: Services,
  { organizationId, projectId, signature, query }: ExecutionsRequest & ProjectKey & { readonly signature: string },
) {
  refuseEmptyRange(query.date_start, query.date_end);
  const scope = { list: `affected ${projectId} ${signature}`, filters: { search: query.search } };
  const cursors = await services.cursors(organizationId, scope);
  const walk = parseWalk(query, cursors);
  await findProject(services, { organizationId, projectId });
  const source = {
    span: getHistorySpan({ organizationId, signature, list: 'all' }, query.date_start, query.date_end),
    reads: planReads(query.limit, { isFiltered: true, most: RESULT_LIMITS.filteredReadRows, doubles: true }),
    // Rules mark an execution by annotations.
    read: makeRowReader(services.table, history, { present: HISTORY_ATTRIBUTES.annotations }),
    select: (rows: readonly HistoryRow[]) =>
      rows.map((row) => {
        if (row.projectId !== projectId) return undefined;
        return selectExecution(query, { ...row, actions: parseRuleMarks(row.annotations) });
      }),
  };
  return presentPage(await readPage(source, query.limit, walk), cursors.seal);
}

const toExecution = ({ actionId, types, ...row }: AffectedTest): RuleExecution => ({
  ...row,
  actions: types.map((type) => ({ actionId, type })),
});

function selectExecution({ search }: ExecutionsQuery, row: RuleExecution): RuleExecution | undefined {
  if (row.actions.length === 0) return undefined;
  const text = [...row.title, row.branch ?? ''].join(' > ');
  return search === undefined || contains(text, search) ? row : undefined;
}

function presentPage({ hasMore, items }: Page<RuleExecution>, seal: (position: string) => string) {
  return {
    has_more: hasMore,
    data: items.map(({ item, position }) => ({ ...presentExecution(item), cursor: seal(position) })),
  };
}

function presentExecution(row: RuleExecution) {
  const instanceId = splitRecordId(row.recordId)?.instanceId ?? '';
  return {
    signature: row.signature,
    spec: row.spec,
    title: [...row.title],
    runId: extractRunId(instanceId) ?? '',
    instanceId,
    testId: row.testId,
    groupId: row.groupId,
    branch: row.branch,
    createdAt: formatIsoTime(row.recordedAt),
    status: row.outcome,
    flaky: row.flaky,
    actions: row.actions.map(({ actionId, type }) => ({ actionId, type })),
  };
}
