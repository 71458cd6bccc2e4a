/** Limits the number of issues that are linked to a test and to the tests of a project. */

import type { WithTable } from '#shared/engine/table/table.ts';
import { issuesOfProject, type KnownIssue, knownIssues } from '#shared/model/tests/known-issue.ts';
import { tooManyIssues, tooManyIssuesOfTest } from './errors.ts';
import { ISSUE_LIMITS } from './limits.ts';

const { issuesPerProject, issuesPerTest } = ISSUE_LIMITS;

/** Throws 409 if another issue would exceed a limit. Requests that are sent at the same time may exceed it by a few. */
export async function refuseTooMany(
  { table }: WithTable,
  test: Pick<KnownIssue, 'organizationId' | 'projectId' | 'signature'>,
): Promise<void> {
  const all = await table.queryAll(knownIssues, issuesOfProject(test));
  if (all.length >= issuesPerProject) throw tooManyIssues(issuesPerProject);
  if (all.filter(({ signature }) => signature === test.signature).length >= issuesPerTest)
    throw tooManyIssuesOfTest(issuesPerTest);
}
