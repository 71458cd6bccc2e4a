import { single, wrapData } from '#shared/engine/http/envelope.ts';
import { shortenAction } from '#shared/mcp/shorter-actions.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { appliedRules, rules } from '#shared/model/rules/rule.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { RuleWire } from '#shared/rules/rule-wire.ts';
import { enableRule } from '#shared/rules/update-rule.ts';

/** §4.4.11 */
export const handler = endpoint({
  operationId: 'enableAction',
  route: 'PUT /actions/{actionId}/enable',
  permission: 'actions:write',
  access: { table: 'readWrite', writes: [rules, appliedRules, auditRecords], artifacts: 'none' },
  summary: 'Enable an action',
  response: single(RuleWire),
  refuses: ['notFound', 'conflict'],
  tool: {
    description: 'Use it to turn a disabled rule on again. Needs `actionId` from list_actions.',
    hints: { destructiveHint: true, idempotentHint: true },
    answer: shortenAction,
  },
  async handle({ caller, path }, services) {
    return wrapData(await enableRule(services, { ...caller, ...path }));
  },
});
