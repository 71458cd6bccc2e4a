/** Limits the number of issues that are linked to a test and to the tests of a project. */

import type { WithTable } from '#shared/engine/table/table.ts';
import type { Write } from '#shared/engine/table/writes.ts';
import {
  getIssueDraftsSpan,
  getProjectIssuesSpan,
  issueDrafts,
  type KnownIssue,
  knownIssues,
} from '#shared/model/issues/known-issue.ts';
import { reserveRoom } from '#shared/organizations/room-for-one.ts';
import { tooManyIssues, tooManyIssuesOfTest } from './errors.ts';
import { ISSUE_LIMITS } from './limits.ts';

const { issuesPerProject, issuesPerTest } = ISSUE_LIMITS;

/** Throws 409 at a limit. Returns a write for the transaction that stores the issue, or the draft of one. */
export function reserveRoomForIssue(
  services: WithTable,
  test: Pick<KnownIssue, 'organizationId' | 'projectId' | 'signature'>,
): Promise<Write> {
  const { table } = services;
  const { organizationId, projectId, signature } = test;
  return reserveRoom(services, {
    organizationId,
    projectId,
    what: 'issues',
    limit: issuesPerProject,
    count: async () => {
      const [issues, drafts] = await Promise.all([
        table.queryAll(knownIssues, getProjectIssuesSpan(test), { consistent: true }),
        table.queryAll(issueDrafts, getIssueDraftsSpan(test), { consistent: true }),
      ]);
      const all = [...issues, ...drafts];
      if (all.filter((one) => one.signature === signature).length >= issuesPerTest)
        throw tooManyIssuesOfTest(issuesPerTest);
      return all.length;
    },
    refusal: tooManyIssues,
  });
}
