/** The rules of a project in a settings file. */

import type * as z from 'zod';
import { AUTOMATION, formatActorName } from '#shared/access/actor.ts';
import { type Rule, rules } from '#shared/model/rules/rule.ts';
import type { RuleMatcher } from '#shared/model/rules/rule-matcher.ts';
import { createRule } from '#shared/rules/create-rule.ts';
import { RULE_LIMITS } from '#shared/rules/limits.ts';
import { presentMatcher } from '#shared/rules/matcher-wire.ts';
import { ActionChange, NewAction } from '#shared/rules/rule-wire.ts';
import { refusePastExpiry } from '#shared/rules/status.ts';
import { archiveRule, disableRule, enableRule, updateRule } from '#shared/rules/update-rule.ts';
import { enterSection, type FileSection, type GivenRule, parseSectionSettings } from './document.ts';
import { expectUnchanged } from './expect-unchanged.ts';
import { type Fields, isEmpty, type Json, listFieldChanges, pickDefined, pickDifferences } from './fields.ts';
import { matchRows } from './match-rows.ts';
import type { Change } from './plan.ts';

/** A settings file leaves out the quarantines of issue automation, because an older file would end newer ones. */
export const isOfPeople = ({ createdBy }: Rule): boolean => createdBy !== formatActorName(AUTOMATION);

type RuleSettings = Pick<Rule, 'name' | 'description' | 'action' | 'matcher' | 'expiresAfter'>;

const isEnabled = ({ disabledAt }: Pick<Rule, 'disabledAt'>): boolean => disabledAt === undefined;

const toRuleSettings = ({ name, description, action, matcher, expiresAfter }: RuleSettings): Fields => ({
  name,
  description,
  action: action.map((step) => (step.op === 'tag' ? { op: step.op, details: { tags: [...step.details.tags] } } : step)),
  matcher: toShownMatcher(matcher),
  expiresAfter: expiresAfter === null ? null : new Date(expiresAfter).toISOString(),
});

export const toRuleFields = (rule: Rule): Fields => ({ ...toRuleSettings(rule), enabled: isEnabled(rule) });

/** The matcher as in the API, but a condition that needs no value has none. */
function toShownMatcher(matcher: RuleMatcher): Json {
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

export function planRules(all: readonly Rule[], section: FileSection<readonly GivenRule[]>, now: number): Change[] {
  const { given, path, problems } = section;
  const rulesOfPeople = all.filter(isOfPeople);
  const matches = matchRows(rulesOfPeople, section, {
    kind: 'rule',
    idOf: ({ actionId }) => actionId,
    nameOf: ({ name }) => name?.trim(),
    fits: [(rule, { name }) => rule.name === name?.trim()],
  });
  const rulesOfAutomation = all.length - rulesOfPeople.length;
  const excess = given.length + rulesOfAutomation - RULE_LIMITS.rulesPerProject;
  if (excess > 0)
    problems.add(
      path,
      `A project has at most ${RULE_LIMITS.rulesPerProject} rules, including those of issue automation. Remove ${excess}`,
    );
  const entries = given.map((entry, index) => ({ rule: matches[index], entry: enterSection(section, entry, index) }));
  return [
    ...rulesOfPeople.filter((rule) => !matches.includes(rule)).map(planRuleRemoval),
    ...entries.flatMap(({ rule, entry }) => (rule ? planRuleChange(rule, entry, now) : [])),
    ...entries.flatMap(({ rule, entry }) => (rule || entry.given.id !== undefined ? [] : planRuleCreation(entry, now))),
  ];
}

const planRuleRemoval = (rule: Rule): Change => ({
  verb: 'remove',
  kind: 'rule',
  name: rule.name,
  id: rule.actionId,
  fields: [],
  note: 'it is archived',
  run: (services, { organizationId, actor }) => {
    const { actionId } = rule;
    return archiveRule(services, { organizationId, actionId, actor, expects: expectUnchanged(rules, rule, ['v']) });
  },
});

function planRuleChange(rule: Rule, section: FileSection<GivenRule>, now: number): Change[] {
  const { id: _, enabled = isEnabled(rule), ...settings } = section.given;
  const currentFields = toRuleFields(rule);
  const edits = pickDifferences(settings, currentFields);
  const newSettings = (isEmpty(edits) ? undefined : parseRuleSettings(ActionChange, edits, section, now)) ?? {};
  const changedFields = pickDifferences(
    { ...toRuleSettings({ ...rule, ...pickDefined(newSettings) }), enabled },
    currentFields,
  );
  if (isEmpty(changedFields)) return [];
  const input = Object.fromEntries(Object.entries(newSettings).filter(([name]) => name in changedFields));
  return [
    {
      verb: 'change',
      kind: 'rule',
      name: rule.name,
      id: rule.actionId,
      fields: listFieldChanges(changedFields, currentFields),
      run: async (services, { organizationId, actor }) => {
        const ref = { organizationId, actionId: rule.actionId, actor };
        const expectVersion = (v: number) => expectUnchanged(rules, { ...rule, v }, ['v']);
        const { v } = isEmpty(pickDifferences(changedFields, { enabled }))
          ? rule
          : await updateRule(services, { ...ref, input, expects: expectVersion(rule.v) });
        if (changedFields['enabled'] !== undefined)
          await (enabled ? enableRule : disableRule)(services, { ...ref, expects: expectVersion(v) });
      },
    },
  ];
}

function planRuleCreation(section: FileSection<GivenRule>, now: number): Change[] {
  const { id: _, enabled = true, ...settings } = section.given;
  const input = parseRuleSettings(NewAction, settings, section, now);
  if (input === undefined) return [];
  return [
    {
      verb: 'create',
      kind: 'rule',
      name: input.name,
      fields: listFieldChanges({ ...toRuleSettings(input), enabled }),
      run: async (services, { organizationId, projectId, actor }) => {
        const { actionId } = await createRule(services, { organizationId, projectId, actor, input });
        if (!enabled) await disableRule(services, { organizationId, actionId, actor });
      },
    },
  ];
}

/** Adds a problem for each setting that is invalid, and for an expiry in the past. */
function parseRuleSettings<Settings extends z.output<typeof ActionChange>>(
  schema: z.ZodType<Settings>,
  input: Readonly<Record<string, Json | undefined>>,
  section: FileSection<GivenRule>,
  now: number,
): Settings | undefined {
  const { path, problems } = section;
  const settings = parseSectionSettings(schema, input, section);
  if (!settings) return undefined;
  problems.check([...path, 'expiresAfter'], () => refusePastExpiry(settings.expiresAfter, now));
  return settings;
}
