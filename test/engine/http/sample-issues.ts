/** A connection to a fake Jira, and an issue that is linked to the failed test of the sample run. */
import { OPERATOR } from '#shared/access/actor.ts';
import { saveIntegration } from '#shared/issues/integrations.ts';
import { connectTrackers } from '#shared/platform/connect.ts';
import type { Tenant, TestService } from '#test/harness/service.ts';
import { JiraStandIn } from '#test/harness/trackers/jira.ts';
import type { Ids, Need, Sample, World } from './sample-shapes.ts';

/** Connects the tracker and creates the issue, if the sample requests need them. */
export async function sampleIssues(
  tenant: TestService & Tenant,
  run: { readonly instanceId: string; readonly testId: string },
  isNeeded: (...needs: readonly Need[]) => boolean,
): Promise<Partial<Ids>> {
  if (!isNeeded('integrationId', 'issueId')) return {};
  const { organizationId, projectId, api } = tenant;
  const jira = await new JiraStandIn('cloud').start({ stays: true });
  const services = {
    ...tenant.services,
    ...connectTrackers(tenant.environment)(),
    privateReceivers: 'machine' as const,
  };
  const settings = {
    kind: 'jira' as const,
    name: 'Jira',
    apiUrl: jira.url,
    account: jira.account,
    token: jira.token,
    projectIds: undefined,
  };
  const request = { organizationId, actor: OPERATOR, integrationId: undefined, settings };
  const { integrationId } = await saveIntegration(services, request);
  const { instanceId, testId } = run;
  const wanted = { instanceId, testId, integrationId, trackerProjectId: jira.project, issueTypeId: jira.typeId };
  const { issueId, key } = (await api.post(`/projects/${projectId}/issues`, wanted)).body.data;
  return { integrationId, issueId, issueKey: key, trackerProjectId: jira.project, issueTypeId: jira.typeId };
}

const test = ({ instanceId, testId }: World) => ({ instanceId, testId });
const installation = ({ integrationId }: World) => `jira_installation_id=${encodeURIComponent(integrationId)}`;
const inJira = ({ runId, testId, integrationId, trackerProjectId, issueTypeId }: World) => ({
  runId,
  testId,
  jiraInstallationId: integrationId,
  jiraProjectId: trackerProjectId,
  jiraIssueType: issueTypeId,
});

export const ISSUE_SAMPLES: Readonly<Record<string, Sample>> = {
  listIntegrations: { ids: [] },
  listTrackerProjects: { ids: ['integrationId'], bad: { query: 'limit=101' } },
  listIssueTypes: {
    ids: ['integrationId'],
    query: ({ trackerProjectId }) => `trackerProjectId=${encodeURIComponent(trackerProjectId)}`,
    bad: { query: '' },
  },
  listJiraProjects: { ids: ['integrationId'], query: installation, bad: { query: 'page=-1' } },
  listJiraIssueTypes: {
    ids: ['integrationId'],
    at: { jiraProjectId: 'trackerProjectId' },
    query: installation,
    bad: { query: '' },
  },
  listIssues: { ids: ['projectId'], bad: { query: 'state[]=unknown' } },
  createIssue: {
    ids: ['projectId', 'instanceId', 'integrationId'],
    body: (world) => ({
      ...test(world),
      integrationId: world.integrationId,
      trackerProjectId: world.trackerProjectId,
      issueTypeId: world.issueTypeId,
    }),
    bad: { body: { integrationId: 7 } },
  },
  createJiraIssue: {
    ids: ['projectId', 'runId', 'integrationId'],
    body: inJira,
    bad: { body: { jiraInstallationId: 7 } },
  },
  linkIssue: {
    ids: ['projectId', 'instanceId', 'integrationId'],
    body: (world) => ({ ...test(world), integrationId: world.integrationId, issueKey: world.issueKey }),
    bad: { body: { issueKey: '' } },
  },
  linkJiraIssue: {
    ids: ['projectId', 'runId', 'integrationId'],
    needs: ['issueId'],
    at: { issueKey: 'issueKey' },
    body: inJira,
    bad: { body: { comment: 7 } },
  },
  unlinkIssue: { ids: ['projectId', 'issueId'], once: true },
};
