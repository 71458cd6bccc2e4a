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
} from '#shared/model/tests/rule.ts';
import { contains } from '#shared/results/contains.ts';
import type { WithClock } from '#shared/services.ts';
import { RULE_LIMITS } from './limits.ts';
import { presentRule } from './rule-wire.ts';
import type { RuleStatus } from './status.ts';

export type RuleId = Pick<Rule, 'organizationId' | 'actionId'>;

/** The key of a rule, from its id. Throws 404 for an id that no rule can have. */
export const keyOfRule = ({ organizationId, actionId }: RuleId): RuleKey => ({
  organizationId,
  actionId,
  projectId: extractProjectId(actionId) ?? refuse(notFound('Action')),
});

/** The read is consistent, because clients read a rule right after they changed it. */
export async function findRule({ table }: WithTable, id: RuleId): Promise<Rule> {
  const key = keyOfRule(id);
  const wanted = [makeLookup(rules, key), makeLookup(archivedRules, key)] as const;
  const found = await table.getTogether(wanted, { consistent: true });
  return found.of(wanted[0]) ?? found.of(wanted[1]) ?? refuse(notFound('Action'));
}

export const getRule = async (services: WithClock, id: RuleId) =>
  presentRule(await findRule(services, id), services.now());

interface Asked extends ProjectKey {
  readonly status: readonly RuleStatus[];
  readonly search?: string | undefined;
}

/** Lists the rules of a project, newest first. There are no pages, because the number of rules is limited. */
export async function listRules(services: WithClock, { status, search, ...of }: Asked) {
  const { table, now } = services;
  const [current, archived] = await Promise.all([
    table.queryAll(rules, getRulesSpan(of), { consistent: true }),
    status.includes('archived') ? newestArchived(table, of) : [],
    findProject(services, of),
  ]);
  return [...current, ...archived]
    .sort((one, other) => other.createdAt - one.createdAt || (one.actionId < other.actionId ? 1 : -1))
    .map((rule) => presentRule(rule, now()))
    .filter((rule) => status.includes(rule.status) && (search === undefined || contains(rule.name, search)));
}

async function newestArchived(
  table: WithTable['table'],
  of: Parameters<typeof getArchivedRulesSpan>[0],
): Promise<Rule[]> {
  const options = { limit: RULE_LIMITS.archivedShown, newestFirst: true, consistent: true };
  const { rows } = await table.query(archivedRules, getArchivedRulesSpan(of), options);
  return rows.map(({ item }) => item);
}
