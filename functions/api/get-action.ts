import { single, wrapData } from '#shared/engine/http/envelope.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { getRule } from '#shared/rules/find-rule.ts';
import { RuleWire } from '#shared/rules/rule-wire.ts';

/** §4.4.11 */
export const handler = endpoint({
  operationId: 'getAction',
  route: 'GET /actions/{actionId}',
  permission: 'actions:read',
  access: { table: 'read', artifacts: 'none' },
  summary: 'Get one action',
  response: single(RuleWire),
  refuses: ['notFound'],
  tool: 'none',
  async handle({ caller, path }, services) {
    return wrapData(await getRule(services, { ...caller, ...path }));
  },
});
