import * as z from 'zod';
import { notFound } from '#shared/engine/errors.ts';
import { findFailure } from '#shared/issues/find-failure.ts';
import { issueTextOf, issueTitleOf } from '#shared/issues/issue-text.ts';
import { chosenConnection } from '#shared/pages/issues/chosen-connection.ts';
import { connectionsOfVisit } from '#shared/pages/issues/connections-of-visit.ts';
import { newIssueQuery, newIssueQueryOf } from '#shared/pages/issues/issue-form-wire.ts';
import { issueBreadcrumbs } from '#shared/pages/issues/issue-of.tsx';
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
    const asked = refused === undefined ? query : newIssueQueryOf(refused.values);
    const { instance_id: instanceId, test_id: testId, attempt, tracker_project_id: trackerProjectId, search } = asked;
    if (instanceId === undefined || testId === undefined) throw notFound('Test');
    const [failure, { connections, hasOthers }] = await Promise.all([
      findFailure(services, { ...caller, instanceId, testId, attempt }),
      connectionsOfVisit(services, visit),
    ]);
    const { signature, fingerprint, testTitle } = failure;
    const [only, ...others] = connections;
    const named = connections.find(({ integrationId }) => integrationId === asked.integration_id);
    const integration = named ?? (others.length === 0 ? only : undefined);
    const [known, chosen] = await Promise.all([
      listTestIssues(services, { ...caller, signature }),
      integration && chosenConnection({ ...services, ...trackers() }, { integration, trackerProjectId, search }),
    ]);
    const of = { instanceId, testId, attempt, label: testTitle.join(' › ') };
    const existing = known.find((one) => one.fingerprint === fingerprint && one.state !== 'done');
    const props = { visit, of, connections, hasOthers, chosen, trackerProjectId, search, existing, refused };
    return {
      title: 'Create an issue',
      tab: 'Runs',
      breadcrumbs: issueBreadcrumbs(visit, of, 'Create an issue'),
      body: <NewIssuePage {...props} title={issueTitleOf(failure)} text={issueTextOf(failure)} />,
    };
  },
});
