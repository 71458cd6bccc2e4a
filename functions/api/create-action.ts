import * as z from 'zod';
import { single, wrapData } from '#shared/engine/http/envelope.ts';
import { shortenAction } from '#shared/mcp/shorter-actions.ts';
import { projectId } from '#shared/model/names.ts';
import { auditRecords } from '#shared/model/organizations/audit-record.ts';
import { appliedRules, rules } from '#shared/model/rules/rule.ts';
import { submittedForms } from '#shared/model/submitted-form.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { repeatByKey } from '#shared/platform/idempotency-key.ts';
import { createRule } from '#shared/rules/create-rule.ts';
import { NewAction, RULE_NOTES, RuleWire } from '#shared/rules/rule-wire.ts';

/** §4.4.11 */
export const handler = endpoint({
  operationId: 'createAction',
  route: 'POST /actions',
  permission: 'actions:write',
  access: { table: 'readWrite', writes: [rules, appliedRules, auditRecords, submittedForms], artifacts: 'none' },
  summary: 'Create an action: a rule that skips, quarantines or tags matching tests',
  description: `Runners with the fixtures of \`rundown-cli\` or \`@currents/playwright\` apply the action the next time they start. ${RULE_NOTES}`,
  query: z.object({ projectId }),
  body: NewAction,
  success: 201,
  repeats: repeatByKey,
  response: single(RuleWire),
  refuses: ['notFound', 'conflict'],
  tool: {
    description:
      'Use it only when a person asked to skip, quarantine or tag exactly these tests. Set `expiresAfter`, because forgotten rules hide failures. Needs `projectId` from list_projects.',
    hints: { destructiveHint: true, idempotentHint: false },
    answer: shortenAction,
    next: 'disable_action with `actionId` turns it off.',
  },
  async handle({ caller, body }, services) {
    return wrapData(await createRule(services, { ...caller, input: body }));
  },
});
