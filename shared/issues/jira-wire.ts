/** §5.2 The operations for Jira, with the names that published clients use. */
import * as z from 'zod';
import { id } from '#shared/model/names.ts';
import { targetMembers } from '#shared/results/executions/target-wire.ts';
import { customFields, inPath, linkMembers, trackerId, trackerPage } from './issue-wire.ts';

/** Published clients call a connection an installation. */
const installation = id.meta({ description: '`integrationId` of a connection to Jira, from `GET /integrations`' });

export const JiraQuery = z.object({ jira_installation_id: installation, ...trackerPage });

const { projectId: _, testId, runId, ...optionalTargetMembers } = targetMembers;

const jiraIssueMembers = {
  ...optionalTargetMembers,
  // Published clients always send these two, so they are required here. Other operations accept other names of a test.
  runId: runId.unwrap(),
  testId: testId.unwrap(),
  jiraInstallationId: installation,
  jiraProjectId: inPath.jiraProjectId,
  jiraIssueType: trackerId.meta({ description: 'Id of an issue type of the project' }),
};

export const NewJiraIssue = z.strictObject({ ...jiraIssueMembers, customFields });
export const LinkedJiraIssue = z.strictObject({ ...jiraIssueMembers, ...linkMembers });

export const renameJiraMembers = <JiraInput extends Omit<z.output<typeof NewJiraIssue>, 'customFields'>>({
  jiraInstallationId,
  jiraProjectId,
  jiraIssueType,
  ...rest
}: JiraInput) => ({
  ...rest,
  integrationId: jiraInstallationId,
  trackerProjectId: jiraProjectId,
  issueTypeId: jiraIssueType,
});
