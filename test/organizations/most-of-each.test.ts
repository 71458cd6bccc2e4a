/** Limits of how many of something may exist, while several requests create one at the same time. */
import { describe, expect, test } from 'vitest';
import { createBadge, revokeBadge } from '#shared/badges/badges.ts';
import { BADGE_LIMITS } from '#shared/badges/limits.ts';
import { ApiError } from '#shared/engine/errors.ts';
import { type Put, put } from '#shared/engine/table/writes.ts';
import { listIntegrations } from '#shared/issues/find-integration.ts';
import { saveIntegration } from '#shared/issues/integrations.ts';
import { ISSUE_LIMITS } from '#shared/issues/limits.ts';
import { integrations } from '#shared/model/issues/integration.ts';
import { getProjectIssuesSpan, knownIssues } from '#shared/model/issues/known-issue.ts';
import { badgesOfProject, getBadgesSpan } from '#shared/model/organizations/badge.ts';
import { getSharesSpan, sharesOfProject } from '#shared/model/organizations/share.ts';
import { SHARE_LIMITS } from '#shared/shares/limits.ts';
import { accessToken } from '#test/harness/access-tokens.ts';
import { attack } from '#test/harness/attacks.ts';
import { GithubIssues } from '#test/harness/trackers/github.ts';
import { type Stage, stage } from '#test/issues/stage.ts';

const ROOM = 3;
const AT_ONCE = 8;
const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

interface Limited {
  readonly limit: number;
  /** How many exist before the test adds any. */
  readonly known: number;
  readonly row: (number: number) => Put;
  /** Returns the status of the response. */
  readonly create: (number: number) => Promise<number>;
  readonly count: () => Promise<number>;
}

const statusOf = (creation: Promise<unknown>): Promise<number> =>
  creation.then(
    () => 200,
    (error: unknown) => (error instanceof ApiError ? error.statusCode : Promise.reject(error)),
  );

const issueRow = (at: Stage, number: number, signature: string): Put =>
  put(knownIssues, {
    organizationId: at.organizationId,
    projectId: at.projectId,
    signature,
    issueId: `${signature}-${String(number).padStart(12, '0')}`,
    integrationId: at.integrationId,
    kind: 'github',
    key: `acme/shop#${9000 + number}`,
    url: 'https://github.example/acme/shop/issues/1',
    title: 'A failure',
    state: 'open',
    stateName: 'open',
    spec: 'cart.spec.ts',
    testTitle: ['cart'],
    created: true,
    createdAt: 1,
    createdBy: 'automation',
    checkedAt: 1,
    seenAt: 1,
  });

const links = (at: Stage, limit: number, signature: string): Limited => ({
  limit,
  known: 0,
  row: (number) => issueRow(at, number, signature),
  create: async (number) => {
    const key = `acme/shop#${number + 1}`;
    const of = { project: at.tracker.project, type: 'issue', title: 'A failure', text: '', labels: [], fields: {} };
    at.tracker.stored.push({ ...of, key, comments: [], createdAt: 1, state: 'open' });
    return (await at.link(key)).status;
  },
  count: async () => {
    const all = await at.services.table.queryAll(knownIssues, getProjectIssuesSpan(at), { consistent: true });
    return all.filter((one) => one.signature === signature || limit === ISSUE_LIMITS.issuesPerProject).length;
  },
});

const LIMITED: Readonly<Record<string, (at: Stage) => Promise<Limited>>> = {
  'badges of a project': async ({ services, request, projectId }) => {
    const of = { ...request, projectId };
    return {
      limit: BADGE_LIMITS.badgesPerProject,
      known: 0,
      row: (number) => put(badgesOfProject, { ...of, badgeId: `badge-${number}`, branch: 'main' }),
      create: () => statusOf(createBadge(services, { ...of, branch: 'main', label: 'tests' })),
      count: async () =>
        (await services.table.queryAll(badgesOfProject, getBadgesSpan(of), { consistent: true })).length,
    };
  },
  'shares of a project': async (at) => {
    const { services, projectId, instanceId, testId, organizationId } = at;
    const { api } = await accessToken(at);
    const of = { organizationId, projectId };
    return {
      limit: SHARE_LIMITS.sharesPerProject,
      known: 0,
      row: (number) =>
        put(sharesOfProject, { ...of, shareId: `share-${number}`, hash: `${number}`, expiresAt: 2_000_000_000 }),
      create: async () => (await api.post('/shares', { instanceId, testId })).status,
      count: async () =>
        (await services.table.queryAll(sharesOfProject, getSharesSpan(of), { consistent: true })).length,
    };
  },
  'connections to issue trackers of an organization': async ({ services, request, settings }) => {
    const [connection] = await listIntegrations(services, request);
    if (!connection) throw new Error('There is no connection');
    return {
      limit: ISSUE_LIMITS.integrationsPerOrganization,
      known: 1,
      row: (number) => put(integrations, { ...connection, integrationId: `int_${number}` }),
      create: (number) =>
        statusOf(
          saveIntegration(services, {
            ...request,
            integrationId: undefined,
            settings: { ...settings, name: `Tracker ${number}` },
          }),
        ),
      count: async () => (await listIntegrations(services, request)).length,
    };
  },
  'issues of a project': async (at) => links(at, ISSUE_LIMITS.issuesPerProject, 'f'.repeat(32)),
  'issues of a test': async (at) => links(at, ISSUE_LIMITS.issuesPerTest, await signatureOf(at)),
};

async function signatureOf(at: Stage): Promise<string> {
  const { issueId } = (await at.create()).body.data;
  await at.api.send('DELETE', `${at.path}/${issueId}`);
  return issueId.slice(0, issueId.lastIndexOf('-'));
}

describe('However many requests create one at the same time', () => {
  test.each(Object.entries(LIMITED))('there are never more than allowed: %s', async (_, prepare) => {
    const at = await stage(() => new GithubIssues().start());
    const { limit, known, row, create, count } = await prepare(at);
    await at.services.table.writeMany(numbers(limit - ROOM - known).map(row));
    attack('concurrent limits', AT_ONCE);
    const statuses = await Promise.all(numbers(AT_ONCE).map(create));
    expect(await count()).toBe(limit);
    expect(statuses.filter((status) => status === 200 || status === 201)).toHaveLength(ROOM);
    expect(statuses.filter((status) => status === 409)).toHaveLength(AT_ONCE - ROOM);
    expect(await create(AT_ONCE)).toBe(409);
  });

  test('a removal makes room for another one', async () => {
    const { services, request, projectId } = await stage(() => new GithubIssues().start());
    const of = { ...request, projectId };
    const rows = numbers(BADGE_LIMITS.badgesPerProject - 1);
    await services.table.writeMany(
      rows.map((number) => put(badgesOfProject, { ...of, badgeId: `badge-${number}`, branch: 'main' })),
    );
    const badge = { ...of, branch: 'main', label: 'tests' };
    const { badgeId } = await createBadge(services, badge);
    expect(await statusOf(createBadge(services, badge))).toBe(409);
    await revokeBadge(services, { ...of, badgeId });
    expect(await statusOf(createBadge(services, badge))).toBe(200);
  });
});
