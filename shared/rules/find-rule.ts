/** §4.4.11 Reads one rule, or the rules of a project. */
import { notFound, refuse } from '#shared/engine/errors.ts';
import { makeLookup } from '#shared/engine/table/found.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { findProject } from '#shared/find-project.ts';
import { extractProjectId } from '#shared/model/ids.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import {
  archivedRules,
  getArchivedRulesSpan,
  getRulesSpan,
  type Rule,
  type RuleKey,
  rules,
} from '#shared/model/rules/rule.ts';
import { contains } from '#shared/results/contains.ts';
import type { WithClock } from '#shared/services.ts';
import { RULE_LIMITS } from './limits.ts';
import { presentRule } from './rule-wire.ts';
import type { RuleStatus } from './status.ts';

export type RuleId = Pick<Rule, 'organizationId' | 'actionId'>;

/** Throws 404 for an id that no rule can have. */
export const toRuleKey = ({ organizationId, actionId }: RuleId): RuleKey => ({
  organizationId,
  actionId,
  projectId: extractProjectId(actionId) ?? refuse(notFound('Action')),
});

/** The read is consistent, because clients read a rule right after they changed it. */
export async function findRule({ table }: WithTable, id: RuleId): Promise<Rule> {
  const key = toRuleKey(id);
  const ofCurrentRule = makeLookup(rules, key);
  const ofArchivedRule = makeLookup(archivedRules, key);
  const rows = await table.getTogether([ofCurrentRule, ofArchivedRule], { consistent: true });
  return rows.of(ofCurrentRule) ?? rows.of(ofArchivedRule) ?? refuse(notFound('Action'));
}

export const getRule = async (services: WithClock, id: RuleId) =>
  presentRule(await findRule(services, id), services.now());

interface RulesQuery extends ProjectKey {
  readonly status: readonly RuleStatus[];
  readonly search?: string | undefined;
}

/** Newest first. There are no pages, because the number of rules is limited. */
export async function listRules(services: WithClock, { status, search, ...projectKey }: RulesQuery) {
  const { table, now } = services;
  const [currentRules, pastRules] = await Promise.all([
    table.queryAll(rules, getRulesSpan(projectKey), { consistent: true }),
    status.includes('archived') ? listNewestArchived(table, projectKey) : [],
    findProject(services, projectKey),
  ]);
  return [...currentRules, ...pastRules]
    .sort((one, other) => other.createdAt - one.createdAt || (one.actionId < other.actionId ? 1 : -1))
    .map((rule) => presentRule(rule, now()))
    .filter((rule) => status.includes(rule.status) && (search === undefined || contains(rule.name, search)));
}

async function listNewestArchived(
  table: WithTable['table'],
  projectKey: Parameters<typeof getArchivedRulesSpan>[0],
): Promise<Rule[]> {
  const options = { limit: RULE_LIMITS.archivedShown, newestFirst: true, consistent: true };
  const { rows } = await table.query(archivedRules, getArchivedRulesSpan(projectKey), options);
  return rows.map(({ item }) => item);
}
