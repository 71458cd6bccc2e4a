import { single, wrapData } from '#shared/engine/http/envelope.ts';
import { shortenAction } from '#shared/mcp/shorter-actions.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { appliedRules, rules } from '#shared/model/rules/rule.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { ActionChange, RULE_NOTES, RuleWire } from '#shared/rules/rule-wire.ts';
import { updateRule } from '#shared/rules/update-rule.ts';

/** §4.4.11 */
export const handler = endpoint({
  operationId: 'updateAction',
  route: 'PUT /actions/{actionId}',
  permission: 'actions:write',
  access: { table: 'readWrite', writes: [rules, appliedRules, auditRecords], artifacts: 'none' },
  summary: 'Update an action',
  description: `Send at least one member. Omitted members stay unchanged. ${RULE_NOTES}`,
  body: ActionChange,
  response: single(RuleWire),
  refuses: ['notFound', 'conflict'],
  tool: {
    description:
      'Use it to change a rule that a person named. `action` and `matcher` are replaced as a whole. Needs `actionId` from list_actions.',
    hints: { destructiveHint: true, idempotentHint: true },
    answer: shortenAction,
  },
  async handle({ caller, path, body }, services) {
    return wrapData(await updateRule(services, { ...caller, ...path, input: body }));
  },
});
