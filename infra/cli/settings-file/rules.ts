/** The rules of a project in a settings file. */
import type * as z from 'zod';
import { AUTOMATION, formatActorName } from '#shared/access/actor.ts';
import { type Rule, rules } from '#shared/model/tests/rule.ts';
import type { RuleMatcher } from '#shared/model/tests/rule-matcher.ts';
import { createRule } from '#shared/rules/create-rule.ts';
import { RULE_LIMITS } from '#shared/rules/limits.ts';
import { presentMatcher } from '#shared/rules/matcher-wire.ts';
import { ActionChange, NewAction } from '#shared/rules/rule-wire.ts';
import { refusePastExpiry } from '#shared/rules/status.ts';
import { archiveRule, disableRule, enableRule, updateRule } from '#shared/rules/update-rule.ts';
import { type GivenRule, type Placed, settingsBy, within } from './document.ts';
import {
  type Change,
  defined,
  differing,
  type Fields,
  fieldChanges,
  isEmpty,
  type Json,
  matched,
  unchanged,
} from './plan.ts';
import type { Path } from './problems.ts';

/**
 * Whether people created the rule. Issue automation creates and archives its quarantines by itself. They are not part
 * of a settings file, because an older file would otherwise end the quarantines that began after its export.
 */
export const isOfPeople = ({ createdBy }: Rule): boolean => createdBy !== formatActorName(AUTOMATION);

type Stored = Pick<Rule, 'name' | 'description' | 'action' | 'matcher' | 'expiresAfter'>;

const isEnabled = ({ disabledAt }: Pick<Rule, 'disabledAt'>): boolean => disabledAt === undefined;

const settingsOf = ({ name, description, action, matcher, expiresAfter }: Stored): Fields => ({
  name,
  description,
  action: action.map((step) => (step.op === 'tag' ? { op: step.op, details: { tags: [...step.details.tags] } } : step)),
  matcher: shownMatcher(matcher),
  expiresAfter: expiresAfter === null ? null : new Date(expiresAfter).toISOString(),
});

export const ruleFields = (rule: Rule): Fields => ({ ...settingsOf(rule), enabled: isEnabled(rule) });

/** The matcher as in the API, but a condition that needs no value has none. */
function shownMatcher(matcher: RuleMatcher): Json {
  const { op, cond } = presentMatcher(matcher);
  return {
    op,
    cond: cond.map(({ type, op: operator, value }) => ({
      type,
      op: operator,
      ...(value === null || value === '' ? {} : { value }),
    })),
  };
}

export function planRules(all: readonly Rule[], placed: Placed<readonly GivenRule[]>, now: number): Change[] {
  const { given, path, problems } = placed;
  const known = all.filter(isOfPeople);
  const found = matched(known, placed, {
    kind: 'rule',
    idOf: ({ actionId }) => actionId,
    nameOf: ({ name }) => name?.trim(),
    fits: [(rule, { name }) => rule.name === name?.trim()],
  });
  const count = given.length + all.length - known.length;
  if (count > RULE_LIMITS.rulesPerProject)
    problems.add(
      path,
      `A project has at most ${RULE_LIMITS.rulesPerProject} rules, including those of issue automation. Remove ${count - RULE_LIMITS.rulesPerProject}`,
    );
  const entries = given.map((entry, index) => ({ rule: found[index], entry: within(placed, entry, index) }));
  return [
    ...known.filter((rule) => !found.includes(rule)).map(removalOf),
    ...entries.flatMap(({ rule, entry }) => (rule ? changeOf(rule, entry, now) : [])),
    ...entries.flatMap(({ rule, entry }) => (rule || entry.given.id !== undefined ? [] : creationOf(entry, now))),
  ];
}

const removalOf = (rule: Rule): Change => ({
  verb: 'remove',
  kind: 'rule',
  name: rule.name,
  id: rule.actionId,
  fields: [],
  note: 'it is archived',
  run: (services, { organizationId, actor }) => {
    const { actionId } = rule;
    return archiveRule(services, { organizationId, actionId, actor, expects: unchanged(rules, rule, ['v']) });
  },
});

function changeOf(rule: Rule, placed: Placed<GivenRule>, now: number): Change[] {
  const { id: _, enabled = isEnabled(rule), ...given } = placed.given;
  const current = ruleFields(rule);
  const edits = differing(given, current);
  const data = (isEmpty(edits) ? undefined : checkedRule(ActionChange, edits, placed, now)) ?? {};
  const wanted = differing({ ...settingsOf({ ...rule, ...defined(data) }), enabled }, current);
  if (isEmpty(wanted)) return [];
  const input = Object.fromEntries(Object.entries(data).filter(([name]) => name in wanted));
  return [
    {
      verb: 'change',
      kind: 'rule',
      name: rule.name,
      id: rule.actionId,
      fields: fieldChanges(wanted, current),
      run: async (services, { organizationId, actor }) => {
        const ref = { organizationId, actionId: rule.actionId, actor };
        const expecting = (v: number) => unchanged(rules, { ...rule, v }, ['v']);
        const { v } = isEmpty(differing(wanted, { enabled }))
          ? rule
          : await updateRule(services, { ...ref, input, expects: expecting(rule.v) });
        if (wanted['enabled'] !== undefined)
          await (enabled ? enableRule : disableRule)(services, { ...ref, expects: expecting(v) });
      },
    },
  ];
}

function creationOf(placed: Placed<GivenRule>, now: number): Change[] {
  const { id: _, enabled = true, ...given } = placed.given;
  const input = checkedRule(NewAction, given, placed, now);
  if (input === undefined) return [];
  return [
    {
      verb: 'create',
      kind: 'rule',
      name: input.name,
      fields: fieldChanges({ ...settingsOf(input), enabled }),
      run: async (services, { organizationId, projectId, actor }) => {
        const { actionId } = await createRule(services, { organizationId, projectId, actor, input });
        if (!enabled) await disableRule(services, { organizationId, actionId, actor });
      },
    },
  ];
}

/**
 * Reads the settings of a rule. Adds a problem for each setting that is invalid or has no effect, and for an expiry in
 * the past.
 */
function checkedRule<Settings extends z.output<typeof ActionChange>>(
  schema: z.ZodType<Settings>,
  given: Readonly<Record<string, Json | undefined>>,
  placed: Placed<GivenRule>,
  now: number,
): Settings | undefined {
  const { path, problems } = placed;
  const settings = settingsBy(schema, given, placed);
  if (!settings) return undefined;
  const { matcher, action, expiresAfter } = settings;
  const unused = [
    ...(matcher ? unusedIn(given['matcher'], shownMatcher(matcher), ['matcher']) : []),
    ...(action ? unusedIn(given['action'], action, ['action']) : []),
  ];
  for (const one of unused) problems.add([...path, ...one], 'has no effect here. Remove it');
  problems.checked([...path, 'expiresAfter'], () => refusePastExpiry(expiresAfter, now));
  return settings;
}

/** The paths of the values in `given` that `stored` does not have. */
function unusedIn(given: Json | undefined, stored: unknown, path: Path): Path[] {
  if (typeof given !== 'object' || given === null) return [];
  const known: Readonly<Record<string, unknown>> = typeof stored === 'object' && stored !== null ? { ...stored } : {};
  return Object.entries(given).flatMap(([name, value]) => {
    const at = [...path, Array.isArray(given) ? Number(name) : name];
    return name in known ? unusedIn(value, known[name], at) : [at];
  });
}
