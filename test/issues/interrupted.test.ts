/** Kills the function that creates an issue at each of its database writes, and asks for the issue again. */
import { describe, expect, test } from 'vitest';
import { createIssue } from '#shared/issues/create-issue.ts';
import { ISSUE_LIMITS } from '#shared/issues/limits.ts';
import { mortal } from '#test/harness/interrupted-table.ts';
import { clock } from '#test/harness/service.ts';
import { TRACKERS } from '#test/harness/trackers/all-trackers.ts';
import { stage } from './stage.ts';

describe.each(TRACKERS)('%s', (_, start) => {
  test('A failure gets only one issue, no matter when the function that creates the issue is killed', async () => {
    const at = await stage(start);
    const { instanceId, testId, wanted, services, organizationId, projectId, request } = at;
    const input = { ...wanted, instanceId, testId };
    const create = (given: typeof services) =>
      createIssue(given, { organizationId, projectId, actor: request.actor, input });
    for (let writes = 0; ; writes += 1) {
      const dying = mortal(services, writes);
      await create(dying.services).catch((error: unknown) => {
        if (!dying.hasDied()) throw error;
      });
      await dying.settled();
      clock.advance(ISSUE_LIMITS.draftMilliseconds + 1);
      const { issue } = await create(services);
      expect(
        at.tracker.issues().map(({ key }) => key),
        `killed after ${writes} writes`,
      ).toEqual([issue.key]);
      expect(await at.listed()).toHaveLength(1);
      if (!dying.hasDied()) break;
      await at.api.send('DELETE', `${at.path}/${issue.issueId}`);
      at.tracker.stored.splice(0);
    }
  });
});
