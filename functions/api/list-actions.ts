import * as z from 'zod';
import { listOf, wrapData } from '#shared/engine/http/envelope.ts';
import { shortenActions } from '#shared/mcp/shorter-actions.ts';
import { projectId } from '#shared/model/names.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { listRules } from '#shared/rules/find-rule.ts';
import { actionsQuery, RuleWire } from '#shared/rules/rule-wire.ts';

/** §4.4.11 */
export const handler = endpoint({
  operationId: 'listActions',
  route: 'GET /actions',
  permission: 'actions:read',
  access: { table: 'read', artifacts: 'none' },
  summary: 'List the actions of a project, newest first',
  query: z.object({ projectId, ...actionsQuery }),
  response: listOf(RuleWire),
  refuses: ['notFound'],
  tool: {
    description:
      'Use it to see the rules that skip, quarantine or tag tests, and to get the `actionId` that other tools need. Needs `projectId` from list_projects.',
    answer: shortenActions,
    next: 'disable_action with `actionId` turns a rule off.',
  },
  async handle({ caller, query }, services) {
    return wrapData(await listRules(services, { ...caller, ...query }));
  },
});
