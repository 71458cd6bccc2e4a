import { single, wrapData } from '#shared/engine/http/envelope.ts';
import { shortenAction } from '#shared/mcp/shorter-actions.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { appliedRules, archivedRules, rules } from '#shared/model/rules/rule.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { RuleWire } from '#shared/rules/rule-wire.ts';
import { archiveRule } from '#shared/rules/update-rule.ts';

/** §4.4.11 */
export const handler = endpoint({
  operationId: 'deleteAction',
  route: 'DELETE /actions/{actionId}',
  permission: 'actions:write',
  access: { table: 'readWrite', writes: [rules, archivedRules, appliedRules, auditRecords], artifacts: 'none' },
  summary: 'Archive an action',
  response: single(RuleWire),
  refuses: ['notFound', 'conflict'],
  tool: {
    description:
      'Use it only when a person asked to archive exactly this rule permanently. To pause it, use disable_action. Needs `actionId` from list_actions.',
    hints: { destructiveHint: true, idempotentHint: true },
    answer: shortenAction,
  },
  async handle({ caller, path }, services) {
    return wrapData(await archiveRule(services, { ...caller, ...path }));
  },
});
