import { handler as cancelRun } from '#functions/api/cancel-run.ts';
import { handler as createAction } from '#functions/api/create-action.ts';
import { handler as createShare } from '#functions/api/create-share.ts';
import { handler as createWebhook } from '#functions/api/create-webhook.ts';
import { handler as deleteAction } from '#functions/api/delete-action.ts';
import { handler as deleteRun } from '#functions/api/delete-run.ts';
import { handler as deleteWebhook } from '#functions/api/delete-webhook.ts';
import { handler as disableAction } from '#functions/api/disable-action.ts';
import { handler as enableAction } from '#functions/api/enable-action.ts';
import { handler as findRun } from '#functions/api/find-run.ts';
import { handler as getContext } from '#functions/api/get-context.ts';
import { handler as getInsights } from '#functions/api/get-insights.ts';
import { handler as getInstance } from '#functions/api/get-instance.ts';
import { handler as getRun } from '#functions/api/get-run.ts';
import { handler as getRunComparison } from '#functions/api/get-run-comparison.ts';
import { handler as getTestResults } from '#functions/api/get-test-results.ts';
import { handler as getTestSignature } from '#functions/api/get-test-signature.ts';
import { handler as listActions } from '#functions/api/list-actions.ts';
import { handler as listAffectedTests } from '#functions/api/list-affected-tests.ts';
import { handler as listDeliveries } from '#functions/api/list-deliveries.ts';
import { handler as listErrors } from '#functions/api/list-errors.ts';
import { handler as listFlakyTests } from '#functions/api/list-flaky-tests.ts';
import { handler as listProjects } from '#functions/api/list-projects.ts';
import { handler as listPullRequests } from '#functions/api/list-pull-requests.ts';
import { handler as listRuns } from '#functions/api/list-runs.ts';
import { handler as listSpecFiles } from '#functions/api/list-spec-files.ts';
import { handler as listTerms } from '#functions/api/list-terms.ts';
import { handler as listTests } from '#functions/api/list-tests.ts';
import { handler as listWebhooks } from '#functions/api/list-webhooks.ts';
import { handler as resetRun } from '#functions/api/reset-run.ts';
import { handler as searchProject } from '#functions/api/search-project.ts';
import { handler as testWebhook } from '#functions/api/test-webhook.ts';
import { handler as updateAction } from '#functions/api/update-action.ts';
import { handler as updateWebhook } from '#functions/api/update-webhook.ts';
import { handler as createIssue } from '#functions/trackers/create-issue.ts';
import { handler as linkIssue } from '#functions/trackers/link-issue.ts';
import { handler as listIntegrations } from '#functions/trackers/list-integrations.ts';
import { handler as listIssueTypes } from '#functions/trackers/list-issue-types.ts';
import { handler as listTrackerProjects } from '#functions/trackers/list-tracker-projects.ts';
import { defineTools } from '#shared/mcp/mcp-server.ts';
import { serveMcp } from '#shared/mcp/serve-mcp.ts';
import type { ToolDefinition } from '#shared/mcp/tool.ts';
import { toTool } from '#shared/platform/as-tool.ts';
import { joinAccess } from '#shared/platform/joined-access.ts';
import { routes } from '#shared/platform/routes.ts';

/** The entries of `tools/list` by operation id, built from the declarations at bundle time. */
declare const BUILT_TOOLS: Readonly<Record<string, ToolDefinition>>;

/**
 * The operations that the server offers as tools, in the order of `tools/list`. Models read the list from the top, so
 * the most useful tools come first.
 */
const OPERATIONS = [
  listProjects,
  searchProject,
  listRuns,
  findRun,
  getRun,
  getContext,
  getRunComparison,
  getInstance,
  getTestResults,
  getTestSignature,
  listPullRequests,
  listTerms,
  listErrors,
  listFlakyTests,
  listTests,
  listSpecFiles,
  getInsights,
  cancelRun,
  resetRun,
  deleteRun,
  createShare,
  listIntegrations,
  listTrackerProjects,
  listIssueTypes,
  createIssue,
  linkIssue,
  listActions,
  listAffectedTests,
  createAction,
  updateAction,
  enableAction,
  disableAction,
  deleteAction,
  listWebhooks,
  listDeliveries,
  createWebhook,
  updateWebhook,
  testWebhook,
  deleteWebhook,
];

/** §1 The MCP server for agents. The MCP transport also defines GET and DELETE, which this server answers with 405. */
export const handler = routes({
  name: 'mcp',
  routes: ['POST /mcp', 'GET /mcp', 'DELETE /mcp'],
  credential: { action: 'mcp:use', resource: 'mcp' },
  access: joinAccess(OPERATIONS.map(({ declaration }) => declaration.access)),
  memoryMegabytes: 1024,
  summary: 'The MCP server: operations as tools for agents',
  handle: (event, services, actor) =>
    serveMcp(defineTools(OPERATIONS.map(toTool), BUILT_TOOLS), { event, services, actor }),
});
