/** §4.4.12 The quarantined tests that did not pass in a run. Their failures do not make the run fail. */

import type { WithTable } from '#shared/engine/table/table.ts';
import {
  getQuarantinedTestsSpan,
  type QuarantinedTest,
  quarantinedTests,
} from '#shared/model/rules/quarantined-test.ts';
import { RULE_LIMITS } from './limits.ts';

export interface QuarantinedList {
  readonly tests: readonly QuarantinedTest[];
  readonly hasMore: boolean;
}

export async function listQuarantined(
  { table }: WithTable,
  run: Pick<QuarantinedTest, 'organizationId' | 'runId'>,
): Promise<QuarantinedList> {
  const limit = RULE_LIMITS.quarantinedShown;
  const { rows } = await table.query(quarantinedTests, getQuarantinedTestsSpan(run), { limit: limit + 1 });
  const tests = rows.map(({ item }) => item);
  return { tests: tests.slice(0, limit), hasMore: tests.length > limit };
}
