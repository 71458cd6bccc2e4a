/**
 * An eventually consistent read may miss a connection that was just made. The embedded engine never does, so these tests
 * look at the reads that requests cause.
 */
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { ISSUE_LIMITS } from '#shared/issues/limits.ts';
import type { Call } from '#test/harness/engine-proxy.ts';
import { beforeTableCalls, clock, watchTable } from '#test/harness/service.ts';
import { GithubIssues } from '#test/harness/trackers/github.ts';
import { signedIn } from '#test/harness/visitor.ts';
import { done, stage } from './stage.ts';

watchTable();

const Read = z.object({ ConsistentRead: z.boolean().optional() });

/** Whether the reads of connections that a request causes are strongly consistent, in their order. */
async function consistencyOf(request: () => Promise<unknown>): Promise<boolean[]> {
  const reads: boolean[] = [];
  const note = ({ operation, body }: Call) => {
    if (!/^(GetItem|Query)$/.test(operation) || !body.includes('INTEGRATION#')) return;
    reads.push(Read.parse(JSON.parse(body)).ConsistentRead === true);
  };
  await beforeTableCalls(note, request);
  return reads;
}

describe('A connection to an issue tracker that was just made', () => {
  test('Every page and list that offers connections reads them strongly consistently, so that a new connection is never missing', async () => {
    const here = await stage(() => new GithubIssues().start());
    const { organizationId, projectId, api, instanceId, testId } = here;
    const admin = await signedIn(here, 'admin');
    const newIssue = `issues/new?instance_id=${instanceId}&test_id=${encodeURIComponent(testId)}`;
    const pages = [
      `/${organizationId}/settings/integrations`,
      `/${organizationId}/${projectId}/settings`,
      `/${organizationId}/${projectId}/${newIssue}`,
    ];
    for (const page of pages) {
      const reads = await consistencyOf(async () => expect((await admin.get(page)).status, page).toBe(200));
      expect(reads, page).not.toEqual([]);
      expect(new Set(reads), page).toEqual(new Set([true]));
    }
    expect(await consistencyOf(() => api.get('/integrations'))).toEqual([true]);
  });

  test('A request that continues an interrupted creation of an issue reads its connection strongly consistently, so that no second issue is created', async () => {
    const here = await stage(() => new GithubIssues().start());
    here.tracker.fail('lost');
    expect(await here.create()).toMatchObject({ status: 409 });
    clock.advance(ISSUE_LIMITS.draftMilliseconds + 1);
    const reads = await consistencyOf(async () => done(await here.create()));
    expect(reads.length).toBeGreaterThan(1);
    expect(new Set(reads)).toEqual(new Set([true]));
    expect(here.tracker.issues()).toHaveLength(1);
  });
});
