import * as z from 'zod';
import { notFound } from '#shared/engine/errors.ts';
import { findFailure } from '#shared/issues/find-failure.ts';
import { buildIssueText, formatIssueTitle } from '#shared/issues/issue-text.ts';
import { loadChosenConnection } from '#shared/pages/issues/chosen-connection.ts';
import { listUsableConnections } from '#shared/pages/issues/connections-of-visit.ts';
import { newIssueQuery, toNewIssueQuery } from '#shared/pages/issues/issue-form-wire.ts';
import { makeIssueBreadcrumbs } from '#shared/pages/issues/issue-of.tsx';
import { NewIssuePage } from '#shared/pages/issues/new-issue-page.tsx';
import { connectTrackers } from '#shared/platform/connect.ts';
import { page } from '#shared/platform/page.ts';
import { listTestIssues } from '#shared/results/known-issues.ts';

const trackers = connectTrackers();

export const handler = page({
  operationId: 'showNewIssue',
  route: 'GET /{organizationId}/{projectId}/issues/new',
  needs: 'issues:write',
  access: { table: 'read', artifacts: 'read', trackers: 'read' },
  query: z.object(newIssueQuery),
  async show({ visit, caller, query, refused }, services) {
    const issueQuery = refused === undefined ? query : toNewIssueQuery(refused.values);
    const {
      instance_id: instanceId,
      test_id: testId,
      attempt,
      tracker_project_id: trackerProjectId,
      search,
    } = issueQuery;
    if (instanceId === undefined || testId === undefined) throw notFound('Test');
    const [failure, { connections, hasOthers }] = await Promise.all([
      findFailure(services, { ...caller, instanceId, testId, attempt }),
      listUsableConnections(services, visit),
    ]);
    const { signature, fingerprint, testTitle } = failure;
    const [only, ...others] = connections;
    const requestedIntegration = connections.find(({ integrationId }) => integrationId === issueQuery.integration_id);
    const integration = requestedIntegration ?? (others.length === 0 ? only : undefined);
    const [knownIssues, connection] = await Promise.all([
      listTestIssues(services, { ...caller, signature }),
      integration && loadChosenConnection({ ...services, ...trackers() }, { integration, trackerProjectId, search }),
    ]);
    const of = { instanceId, testId, attempt, label: testTitle.join(' › ') };
    const existingIssue = knownIssues.find((one) => one.fingerprint === fingerprint && one.state !== 'done');
    const props = {
      visit,
      of,
      connections,
      hasOthers,
      chosen: connection,
      trackerProjectId,
      search,
      existing: existingIssue,
      refused,
    };
    return {
      title: 'Create an issue',
      tab: 'Runs',
      breadcrumbs: makeIssueBreadcrumbs(visit, of, 'Create an issue'),
      body: <NewIssuePage {...props} title={formatIssueTitle(failure)} text={buildIssueText(failure)} />,
    };
  },
});
