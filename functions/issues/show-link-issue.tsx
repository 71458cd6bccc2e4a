import * as z from 'zod';
import { notFound } from '#shared/engine/errors.ts';
import { listUsableConnections } from '#shared/pages/issues/connections-of-visit.ts';
import { testQuery, toTestQuery } from '#shared/pages/issues/issue-form-wire.ts';
import { makeIssueBreadcrumbs } from '#shared/pages/issues/issue-of.tsx';
import { LinkIssuePage } from '#shared/pages/issues/link-issue-page.tsx';
import { page } from '#shared/platform/page.ts';
import { findTarget } from '#shared/results/find-target.ts';

export const handler = page({
  operationId: 'showLinkIssue',
  route: 'GET /{organizationId}/{projectId}/issues/link',
  needs: 'issues:write',
  access: { table: 'read', artifacts: 'read' },
  query: z.object(testQuery),
  async show({ visit, caller, query, refused }, services) {
    const issueQuery = refused === undefined ? query : toTestQuery(refused.values);
    const { instance_id: instanceId, test_id: testId, attempt } = issueQuery;
    if (instanceId === undefined || testId === undefined) throw notFound('Test');
    const [{ label }, { connections, hasOthers }] = await Promise.all([
      findTarget(services, { ...caller, instanceId, testId, attempt }),
      listUsableConnections(services, visit),
    ]);
    const of = { instanceId, testId, attempt, label };
    return {
      title: 'Link an issue',
      tab: 'Runs',
      breadcrumbs: makeIssueBreadcrumbs(visit, of, 'Link an issue'),
      body: <LinkIssuePage {...{ visit, of, connections, hasOthers, refused }} />,
    };
  },
});
