/** Replaces a person in what belongs to a project and to no run: suggestions of filters, rules and deliveries. */

import { AGAIN, retryOptimistically } from '#shared/engine/table/optimistic.ts';
import type { WithTable } from '#shared/engine/table/table.ts';
import { PRESENT, put, remove, update } from '#shared/engine/table/writes.ts';
import { deliveries, getDeliveriesSpan } from '#shared/model/events/delivery.ts';
import { EventCommit } from '#shared/model/events/domain-event.ts';
import { getWebhooksSpan, webhooksOfProject } from '#shared/model/events/webhook.ts';
import type { ProjectKey } from '#shared/model/keys.ts';
import { MODEL_LIMITS } from '#shared/model/limits.ts';
import { replaceAuthor } from '#shared/model/organizations/erasure.ts';
import {
  appliedRules,
  archivedRules,
  getArchivedRulesSpan,
  getRulesSpan,
  packRules,
  type Rule,
  rules,
  unpackRules,
} from '#shared/model/rules/rule.ts';
import type { ConditionValue, RuleMatcher } from '#shared/model/rules/rule-matcher.ts';
import { knownTerms } from '#shared/model/runs/known-terms.ts';
import { terms } from '#shared/model/runs/term.ts';
import type { WithClock } from '#shared/services.ts';
import { ERASURE_LIMITS } from './limits.ts';
import type { SearchedPerson } from './searched-person.ts';

/**
 * Before executions get another author, and before terms of authors are deleted. Functions may extend a deleted term a
 * moment later, and keep its times for as long as they cover new executions.
 */
export async function forgetTimesOfAuthors({ table, now }: WithClock, project: ProjectKey): Promise<undefined> {
  const since = now() + 2 * MODEL_LIMITS.terms.stepMilliseconds;
  const isEarlier = { all: [PRESENT, { path: 'authorsSince', atMost: since }] };
  await table.update(knownTerms, project, { set: [['authorsSince', since]] }, isEarlier);
  return undefined;
}

/** A namesake's name is suggested again after their next run. */
export async function eraseTerms(services: WithClock, person: SearchedPerson, project: ProjectKey): Promise<undefined> {
  const { table } = services;
  await forgetTimesOfAuthors(services, project);
  const old = [
    { ...project, termType: 'authorEmail', value: person.address, by: person.pseudonym.address } as const,
    ...person.names.map((value) => ({ ...project, termType: 'authorName', value, by: person.pseudonym.name }) as const),
  ];
  const stored = await table.getMany(terms, old, { consistent: true });
  for (const [place, term] of stored.entries()) {
    const by = old[place]?.by;
    if (!term || by === undefined) continue;
    await table.writeMany([put(terms, { ...term, value: by }), remove(terms, term)]);
  }
  return undefined;
}

/** Conditions with the author. A rule for a former name matches nobody, and one for a pseudonym harms nobody. */
export async function eraseRules(
  { table }: WithTable,
  person: SearchedPerson,
  project: ProjectKey,
): Promise<undefined> {
  for (const [entity, span] of [
    [rules, getRulesSpan(project)],
    [archivedRules, getArchivedRulesSpan(project)],
  ] as const) {
    for (const { actionId } of await table.queryAll(entity, span, { consistent: true }))
      await retryOptimistically('rule', async () => {
        const key = { ...project, actionId };
        const rule = await table.get(entity, key, { consistent: true });
        const matcher = rule && replaceInMatcher(person, rule.matcher);
        if (!rule || !matcher) return true;
        return (await replaceMatcher({ table }, entity, { rule, matcher })) || AGAIN;
      });
  }
  return undefined;
}

async function replaceMatcher(
  { table }: WithTable,
  entity: typeof rules,
  { rule, matcher }: { readonly rule: Rule; readonly matcher: RuleMatcher },
): Promise<boolean> {
  const isSame = { path: 'v', equals: rule.v } as const;
  const change = update(entity, rule, { set: [['matcher', matcher]], add: [['v', 1]] }, isSame);
  const applied = await table.get(appliedRules, rule, { consistent: true });
  if (!applied) return table.transact([change]);
  const list = unpackRules(applied).map((one) =>
    one.actionId === rule.actionId ? { ...one, matcher, v: rule.v + 1 } : one,
  );
  const changes = { set: [['packed', packRules(list)]], add: [['version', 1]] } as const;
  return table.transact([change, update(appliedRules, rule, changes, { path: 'version', equals: applied.version })]);
}

/** Returns `undefined` if nothing changes. Patterns are texts that somebody wrote, and stay. */
function replaceInMatcher(person: SearchedPerson, { op, cond }: RuleMatcher): RuleMatcher | undefined {
  let hasChanged = false;
  const replaceText = (type: string) => (text: ConditionValue) => {
    if (typeof text !== 'string') return text;
    const isAddress = type === 'git_authorEmail' && person.isAddress(text);
    const isName = type === 'git_authorName' && person.isName(text);
    hasChanged ||= isAddress || isName;
    if (isAddress) return person.pseudonym.address;
    return isName ? person.pseudonym.name : text;
  };
  const newConditions = cond.map((condition) => {
    const { type, value } = condition;
    if (value === null) return condition;
    const replace = replaceText(type);
    return { ...condition, value: Array.isArray(value) ? value.map(replace) : replace(value) } as typeof condition;
  });
  return hasChanged ? { op, cond: newConditions } : undefined;
}

const SEPARATOR = ' ';

/** The bodies of requests to webhooks, which can be sent again. Returns where the next page begins. */
export async function eraseDeliveries(
  { table }: WithTable,
  person: SearchedPerson,
  project: ProjectKey,
  position: string | undefined,
): Promise<string | undefined> {
  const [hookId, after] = position?.split(SEPARATOR) ?? [];
  const hooks = await table.queryAll(webhooksOfProject, getWebhooksSpan(project), { consistent: true });
  const ids = hooks.map((hook) => hook.hookId).sort();
  const at = ids.findIndex((id) => hookId === undefined || id >= hookId);
  const current = ids[at];
  if (current === undefined) return undefined;
  const key = { organizationId: project.organizationId, hookId: current };
  const options = {
    limit: ERASURE_LIMITS.rowsPerPage,
    consistent: true,
    after: current === hookId ? after || undefined : undefined,
  };
  const { rows, lastRead } = await table.query(deliveries, getDeliveriesSpan(key), options);
  for (const { item } of rows) {
    const body = replaceInBody(person, item.body);
    if (body !== undefined)
      await table.update(deliveries, item, { set: [['body', body]] }, { path: 'body', equals: item.body });
  }
  if (lastRead !== undefined) return `${current}${SEPARATOR}${lastRead}`;
  const next = ids[at + 1];
  return next === undefined ? undefined : `${next}${SEPARATOR}`;
}

/** Keeps the order of the members, so that only the author changes. Returns `undefined` if nothing changes. */
function replaceInBody(person: SearchedPerson, body: string): string | undefined {
  const content: unknown = JSON.parse(body);
  if (typeof content !== 'object' || content === null || !('commit' in content)) return undefined;
  const commit = EventCommit.safeParse(content.commit).data;
  if (!commit || !person.isAuthor(commit)) return undefined;
  return JSON.stringify({ ...content, commit: { ...commit, ...replaceAuthor(commit, person.pseudonym) } });
}
