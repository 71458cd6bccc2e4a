/** §4.4.11 The quarantine under which a test failed in its run. It stays true after the rule was changed or removed. */
import type { WithTable } from '#shared/engine/table/table.ts';
import { deriveTestKey, extractProjectId } from '#shared/model/ids.ts';
import type { OfInstance } from '#shared/model/keys.ts';
import { testRecords } from '#shared/model/results/test-record.ts';
import { archivedRules, type Rule, rules } from '#shared/model/rules/rule.ts';
import { listQuarantiningRuleIds } from './quarantines.ts';

interface Result extends OfInstance {
  readonly projectId: string;
  readonly testId: string;
}

export interface QuarantineOfResult {
  /** Absent after the rule was removed. */
  readonly rule: Rule | undefined;
}

/** `undefined` if no rule of the project quarantined the test in this run. */
export async function readQuarantineOfResult(
  { table }: WithTable,
  { organizationId, projectId, instanceId, testId }: Result,
): Promise<QuarantineOfResult | undefined> {
  const record = await table.get(testRecords, { organizationId, instanceId, testKey: deriveTestKey(testId) });
  const ids = record ? listQuarantiningRuleIds(record) : [];
  const actionId = ids.find((one) => extractProjectId(one) === projectId);
  if (actionId === undefined) return undefined;
  const key = { organizationId, projectId, actionId };
  const [currentRule, archivedRule] = await Promise.all([table.get(rules, key), table.get(archivedRules, key)]);
  return { rule: currentRule ?? archivedRule };
}
