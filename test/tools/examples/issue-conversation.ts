/** Records examples of the operations on issues, with a fake Jira. */
import * as z from 'zod';
import { OPERATOR } from '#shared/access/actor.ts';
import { saveIntegration } from '#shared/issues/integrations.ts';
import { connectTrackers } from '#shared/platform/connect.ts';
import type { Services } from '#shared/services.ts';
import { JiraStandIn } from '#test/harness/trackers/jira.ts';

type Send = (operationId: string, method: string, path: string, body?: object) => Promise<Record<string, unknown>>;

export interface ConnectedJira {
  readonly integrationId: string;
  readonly trackerProjectId: string;
  readonly issueTypeId: string;
  /** The address of the fake Jira. Examples show a fictitious site instead. */
  readonly origin: string;
}

export async function connectJira(
  services: Services,
  organizationId: string,
  environment = process.env,
): Promise<ConnectedJira> {
  const jira = await new JiraStandIn('cloud').start({ stays: true });
  const { integrationId } = await saveIntegration(
    { ...services, ...connectTrackers(environment)() },
    {
      organizationId,
      actor: OPERATOR,
      integrationId: undefined,
      settings: {
        kind: 'jira',
        name: 'Jira of the shop',
        apiUrl: jira.url,
        account: jira.account,
        token: jira.token,
        projectIds: undefined,
      },
    },
  );
  return { integrationId, trackerProjectId: jira.project, issueTypeId: jira.typeId, origin: jira.origin };
}

const Created = z.object({ issueId: z.string(), key: z.string() });

export async function recordIssues(
  request: Send,
  { integrationId, trackerProjectId, issueTypeId }: ConnectedJira,
  { projectId, ...test }: { readonly projectId: string; readonly runId: string; readonly testId: string },
): Promise<void> {
  const issues = `/projects/${projectId}/issues`;
  const inJira = {
    ...test,
    jiraInstallationId: integrationId,
    jiraProjectId: trackerProjectId,
    jiraIssueType: issueTypeId,
  };
  const installation = `jira_installation_id=${integrationId}`;
  await request('listIntegrations', 'GET', '/integrations');
  await request('listTrackerProjects', 'GET', `/integrations/${integrationId}/projects`);
  await request(
    'listIssueTypes',
    'GET',
    `/integrations/${integrationId}/issue-types?trackerProjectId=${trackerProjectId}`,
  );
  await request('listJiraProjects', 'GET', `/integrations/jira/projects?${installation}`);
  await request(
    'listJiraIssueTypes',
    'GET',
    `/integrations/jira/projects/${trackerProjectId}/issue-types?${installation}`,
  );
  const wanted = { ...test, integrationId, trackerProjectId, issueTypeId };
  const { issueId, key } = Created.parse((await request('createIssue', 'POST', issues, wanted))['data']);
  await request('createJiraIssue', 'POST', `/projects/${projectId}/jira/issues`, inJira);
  await request('listIssues', 'GET', issues);
  const comment = 'Fails on the payment page as well';
  await request('linkIssue', 'POST', `${issues}/link`, { ...test, integrationId, issueKey: key, comment });
  await request('linkJiraIssue', 'POST', `/projects/${projectId}/jira/issues/${key}/link`, { ...inJira, comment });
  await request('unlinkIssue', 'DELETE', `${issues}/${issueId}`);
}
