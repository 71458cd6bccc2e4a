import { single, wrapData } from '#shared/engine/http/envelope.ts';
import { shortenAction } from '#shared/mcp/shorter-actions.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { appliedRules, rules } from '#shared/model/rules/rule.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { RuleWire } from '#shared/rules/rule-wire.ts';
import { disableRule } from '#shared/rules/update-rule.ts';

/** §4.4.11 */
export const handler = endpoint({
  operationId: 'disableAction',
  route: 'PUT /actions/{actionId}/disable',
  permission: 'actions:write',
  access: { table: 'readWrite', writes: [rules, appliedRules, auditRecords], artifacts: 'none' },
  summary: 'Disable an action',
  response: single(RuleWire),
  refuses: ['notFound', 'conflict'],
  tool: {
    description:
      'Use it to turn a rule off. The tests it matches then run and fail as usual. Needs `actionId` from list_actions.',
    hints: { destructiveHint: false, idempotentHint: true },
    answer: shortenAction,
  },
  async handle({ caller, path }, services) {
    return wrapData(await disableRule(services, { ...caller, ...path }));
  },
});
