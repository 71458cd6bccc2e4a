import * as z from 'zod';
import { paginateByOffset } from '#shared/analytics/metrics/offset-page.ts';
import { notFound } from '#shared/engine/errors.ts';
import { redirect } from '#shared/engine/http/content.ts';
import { CREATES_ISSUES, LINKS_ISSUES } from '#shared/issues/access.ts';
import { changeAutomation } from '#shared/issues/automation/settings.ts';
import { createIssue } from '#shared/issues/create-issue.ts';
import { findFailure } from '#shared/issues/find-failure.ts';
import { buildIssueText, formatIssueTitle } from '#shared/issues/issue-text.ts';
import { linkIssue, unlinkIssue } from '#shared/issues/link-issue.ts';
import { listIssues } from '#shared/issues/list-issues.ts';
import { dueIssues } from '#shared/model/due.ts';
import { issueAutomation, issueTracking } from '#shared/model/issues/issue-automation.ts';
import {
  extractSignature,
  ISSUE_STATES,
  type IssueState,
  type KnownIssue,
  knownIssues,
} from '#shared/model/issues/known-issue.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { loadChosenConnection } from '#shared/pages/issues/chosen-connection.ts';
import { listUsableConnections } from '#shared/pages/issues/connections-of-visit.ts';
import {
  LinkForm,
  NewIssueForm,
  newIssueQuery,
  testQuery,
  toIssueLink,
  toNewIssue,
  toNewIssueQuery,
  toTestQuery,
} from '#shared/pages/issues/issue-form-wire.ts';
import { makeIssueBreadcrumbs } from '#shared/pages/issues/issue-of.tsx';
import { IssuesPage } from '#shared/pages/issues/issues-page.tsx';
import { LinkIssuePage } from '#shared/pages/issues/link-issue-page.tsx';
import { NewIssuePage } from '#shared/pages/issues/new-issue-page.tsx';
import { ISSUE_AUTOMATION_FIELDS, toAutomationSettings } from '#shared/pages/settings/issue-automation-wire.ts';
import { linkToIssues, linkToProjectSettings, linkToTest, linkToTestOfRun } from '#shared/pages/shell/hrefs.ts';
import { PAGE_ROWS } from '#shared/pages/shell/limits.ts';
import { connectTrackers } from '#shared/platform/connect.ts';
import { form, page } from '#shared/platform/page.ts';
import { findTarget } from '#shared/results/executions/find-target.ts';
import { listTestIssues } from '#shared/results/failures/known-issues.ts';

export const showIssues = page({
  operationId: 'showIssues',
  route: 'GET /{organizationId}/{projectId}/issues',
  lambda: 'issues',
  needs: 'results:read',
  access: { table: 'read', artifacts: 'none' },
  query: z.object({ state: z.enum(ISSUE_STATES).optional(), page: z.int().min(0).max(10_000).default(0) }),
  async show({ visit, caller, query: { state, page: pageNumber }, at, refused }, services) {
    const allIssues = await listIssues(services, caller);
    const connections = allIssues.length === 0 ? await listUsableConnections(services, visit) : undefined;
    const matchingIssues = state === undefined ? allIssues : allIssues.filter((issue) => issue.state === state);
    const issuePage = paginateByOffset(matchingIssues, { limit: PAGE_ROWS, page: pageNumber });
    const props = {
      at,
      state,
      page: pageNumber,
      issues: issuePage,
      counts: countIssuesByState(allIssues),
      usable: connections,
      now: services.now(),
      refused,
    };
    return { title: 'Issues', tab: 'Issues', body: <IssuesPage {...props} /> };
  },
});

function countIssuesByState(issues: readonly KnownIssue[]): Record<IssueState, number> {
  const counts = { open: 0, inProgress: 0, done: 0 };
  for (const { state } of issues) counts[state] += 1;
  return counts;
}

const trackers = connectTrackers();
export const showNewIssue = page({
  operationId: 'showNewIssue',
  route: 'GET /{organizationId}/{projectId}/issues/new',
  lambda: 'issues',
  needs: 'issues:write',
  adds: true,
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
    const [failure, { connections, hasOtherConnections }] = await Promise.all([
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
      hasOtherConnections,
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

export const submitNewIssue = form({
  operationId: 'submitNewIssue',
  route: 'POST /{organizationId}/{projectId}/issues/new',
  lambda: 'issues',
  needs: 'issues:write',
  access: CREATES_ISSUES,
  fields: NewIssueForm,
  page: 'showNewIssue',
  async submit({ visit, caller, fields }, services) {
    const input = toNewIssue(fields);
    await createIssue({ ...services, ...trackers() }, { ...caller, input });
    return redirect(linkToTestOfRun(visit, fields));
  },
});

export const showLinkIssue = page({
  operationId: 'showLinkIssue',
  route: 'GET /{organizationId}/{projectId}/issues/link',
  lambda: 'issues',
  needs: 'issues:write',
  adds: true,
  access: { table: 'read', artifacts: 'read' },
  query: z.object(testQuery),
  async show({ visit, caller, query, refused }, services) {
    const issueQuery = refused === undefined ? query : toTestQuery(refused.values);
    const { instance_id: instanceId, test_id: testId, attempt } = issueQuery;
    if (instanceId === undefined || testId === undefined) throw notFound('Test');
    const [{ label }, { connections, hasOtherConnections }] = await Promise.all([
      findTarget(services, { ...caller, instanceId, testId, attempt }),
      listUsableConnections(services, visit),
    ]);
    const of = { instanceId, testId, attempt, label };
    return {
      title: 'Link an issue',
      tab: 'Runs',
      breadcrumbs: makeIssueBreadcrumbs(visit, of, 'Link an issue'),
      body: <LinkIssuePage {...{ visit, of, connections, hasOtherConnections, refused }} />,
    };
  },
});

export const submitLinkIssue = form({
  operationId: 'submitLinkIssue',
  route: 'POST /{organizationId}/{projectId}/issues/link',
  lambda: 'issues',
  needs: 'issues:write',
  access: LINKS_ISSUES,
  fields: LinkForm,
  page: 'showLinkIssue',
  async submit({ visit, caller, fields }, services) {
    const input = toIssueLink(fields);
    await linkIssue({ ...services, ...trackers() }, { ...caller, input });
    return redirect(linkToTestOfRun(visit, fields));
  },
});

export const submitUnlinkIssue = form({
  operationId: 'submitUnlinkIssue',
  route: 'POST /{organizationId}/{projectId}/issues/{issueId}/unlink',
  lambda: 'issues',
  needs: 'issues:write',
  access: { table: 'readWrite', writes: [knownIssues, auditRecords], artifacts: 'none' },
  /** The page that contains the button: the list of issues, or a page of the test. */
  fields: z.object({ from: z.enum(['list', 'test']).default('list') }),
  page: 'showIssues',
  async submit({ visit, caller, path: { issueId }, fields: { from } }, services) {
    await unlinkIssue(services, { ...caller, issueId });
    return redirect(from === 'list' ? linkToIssues(visit) : linkToTest(visit, extractSignature(issueId)));
  },
});

/** §5.2 What Rundown does automatically with the issues of a project. */
export const submitIssueAutomation = form({
  operationId: 'submitIssueAutomation',
  route: 'POST /{organizationId}/{projectId}/settings/issues',
  needs: 'projects:write',
  access: {
    table: 'readWrite',
    writes: [issueAutomation, issueTracking, dueIssues, auditRecords],
    artifacts: 'none',
  },
  fields: z.object(ISSUE_AUTOMATION_FIELDS),
  page: 'showProjectSettings',
  async submit({ visit, caller, fields }, services) {
    await changeAutomation(services, { ...caller, settings: toAutomationSettings(fields) });
    return redirect(linkToProjectSettings(visit));
  },
});
