/** Kills the function that creates an issue at each of its database writes, and asks for the issue again. */
import { describe, expect, test } from 'vitest';
import { TABLE_LIMITS } from '#shared/engine/table/limits.ts';
import { createIssue } from '#shared/issues/create-issue.ts';
import { ISSUE_LIMITS } from '#shared/issues/limits.ts';
import { collidingWith, mortal } from '#test/harness/interrupted-table.ts';
import { clock } from '#test/harness/service.ts';
import { TRACKERS } from '#test/harness/trackers/all-trackers.ts';
import { JiraStandIn } from '#test/harness/trackers/jira.ts';
import { done, stage } from './stage.ts';

describe.each(TRACKERS)('%s', (_, start) => {
  test('A failure gets only one issue, even if the function that creates the issue is killed after any of its writes', async () => {
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

  test('A failure gets only one issue, even if a response is lost and the next request names another project', async () => {
    const at = await stage(start);
    at.tracker.fail('lost');
    expect(await at.create()).toMatchObject({ status: 409 });
    clock.advance(ISSUE_LIMITS.draftMilliseconds + 1);
    const { key } = done(await at.create({ trackerProjectId: 'another' }));
    expect(at.tracker.issues().map((issue) => issue.key)).toEqual([key]);
  });
});

// All trackers at once, because the first request to each takes about twenty seconds until it stops retrying.
test('A failure gets only one issue at each tracker, even if the issue cannot be stored after the tracker has created it', async () => {
  const stages = await Promise.all(TRACKERS.map(([, start]) => stage(start)));
  await Promise.all(
    stages.map(async (at) => {
      const create = (given: typeof at.services) => createIssue(given, { ...at, ...at.request, input: at.wanted });
      // The first transaction stores the draft.
      const refused = create(collidingWith(at.services, TABLE_LIMITS.optimisticAttempts, 1));
      await expect(refused).rejects.toMatchObject({ statusCode: 409 });
      expect(at.tracker.issues()).toHaveLength(1);
      const { issue } = await create(at.services);
      expect(at.tracker.issues().map(({ key }) => key)).toEqual([issue.key]);
    }),
  );
});

test('After a request that was killed and left no issue in the tracker, an issue can be created in another project', async () => {
  const at = await stage(() => new JiraStandIn('cloud').start());
  const create = (given: typeof at.services, trackerProjectId = at.tracker.project) =>
    createIssue(given, { ...at, ...at.request, input: { ...at.wanted, trackerProjectId } });
  await expect(create(mortal(at.services, 1).services)).rejects.toThrow();
  at.tracker.stored.splice(0);
  clock.advance(ISSUE_LIMITS.draftMilliseconds + 1);
  const { issue } = await create(at.services, '10001');
  expect(at.tracker.issues()).toMatchObject([{ key: issue.key, project: '10001' }]);
});
