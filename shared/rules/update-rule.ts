/** §4.4.11 Changes, disables, enables and archives rules. */
import { isDeepStrictEqual } from 'node:util';
import type * as z from 'zod';
import type { AuditName } from '#shared/access/actions.ts';
import { formatActorName } from '#shared/access/actor.ts';
import { notFound, refuse } from '#shared/engine/errors.ts';
import { makeLookup } from '#shared/engine/table/found.ts';
import { put, removeWhen, type Write } from '#shared/engine/table/writes.ts';
import { appliedRules, archivedRules, type Rule, rules } from '#shared/model/rules/rule.ts';
import { change } from '#shared/organizations/change.ts';
import type { Submission } from '#shared/organizations/only-once.ts';
import type { CoreServices } from '#shared/services.ts';
import { planAppliedWrite, toRulesBefore } from './applied-rules.ts';
import { ruleArchived, ruleTooLong } from './errors.ts';
import { type RuleId, toRuleKey } from './find-rule.ts';
import { RULE_LIMITS } from './limits.ts';
import { Matcher } from './matcher-wire.ts';
import { moveMatcher } from './moved-matcher.ts';
import { formatQuarantineName } from './quarantine-of-test.ts';
import type { Renaming } from './renamed-tests.ts';
import { type ActionChange, presentRule } from './rule-wire.ts';
import { refusePastExpiry } from './status.ts';

const MEMBERS = ['name', 'description', 'action', 'matcher', 'expiresAfter'] as const;

/** Writes only values that differ, so a repeated request changes nothing. */
export function updateRule(
  services: CoreServices,
  { input, ...ref }: RuleRef & { readonly input: z.output<typeof ActionChange> },
) {
  return changeRule(services, ref, (rule, { by, at }) => {
    const names = MEMBERS.filter((name) => input[name] !== undefined && !isDeepStrictEqual(input[name], rule[name]));
    if (names.length === 0) return undefined;
    if (names.includes('expiresAfter')) refusePastExpiry(input.expiresAfter, at);
    const to = Object.fromEntries(names.map((name) => [name, input[name]]));
    return {
      to: { ...to, updatedAt: at, updatedBy: by },
      needsProject: true,
      record: { action: 'action changed', detail: names.join(', ') },
    };
  });
}

/** Makes a rule apply for as long again as a new quarantine, from today or from its end. */
export const extendRule = (services: CoreServices, ref: RuleRef) =>
  changeRule(services, ref, ({ expiresAfter }, { by, at }) => ({
    to: {
      expiresAfter: Math.max(expiresAfter ?? 0, at) + RULE_LIMITS.quarantineDays * DAY_MILLISECONDS,
      updatedAt: at,
      updatedBy: by,
    },
    needsProject: true,
    record: { action: 'action changed', detail: 'expiresAfter' },
  }));

const DAY_MILLISECONDS = 24 * 60 * 60 * 1000;

/** Makes a rule match the present name of a test, too. It is planned from the current rule, so that two moves add up. */
export const moveRule = (services: CoreServices, { from, to, ...ref }: RuleRef & Renaming) =>
  changeRule(services, ref, (rule, { by, at }) => {
    const movedMatcher = moveMatcher(rule.matcher, { from, to });
    if (!movedMatcher || isDeepStrictEqual(movedMatcher, rule.matcher)) return undefined;
    const { data: matcher } = Matcher.safeParse(movedMatcher);
    if (!matcher) throw ruleTooLong();
    const name = rule.name === formatQuarantineName(from.title) ? formatQuarantineName(to.title) : rule.name;
    return {
      to: { matcher, name, updatedAt: at, updatedBy: by },
      needsProject: true,
      record: { action: 'action changed', detail: name === rule.name ? 'matcher' : 'name, matcher' },
    };
  });

export const disableRule = (services: CoreServices, ref: RuleRef) =>
  changeRule(services, ref, ({ name, archivedAt, disabledAt }, { by, at }) =>
    archivedAt === undefined && disabledAt !== undefined
      ? undefined
      : { to: { disabledAt: at, disabledBy: by }, record: { action: 'action disabled', detail: name } },
  );

export const enableRule = (services: CoreServices, ref: RuleRef) =>
  changeRule(services, ref, ({ name, archivedAt, disabledAt }) =>
    archivedAt === undefined && disabledAt === undefined
      ? undefined
      : {
          to: { disabledAt: undefined, disabledBy: undefined },
          needsProject: true,
          record: { action: 'action enabled', detail: name },
        },
  );

const SECONDS_A_DAY = 86_400;

/** Not deleted, because results refer to it. */
export const archiveRule = (services: CoreServices, ref: RuleRef) =>
  changeRule(services, ref, ({ name, archivedAt }, { by, at }) =>
    archivedAt !== undefined
      ? undefined
      : {
          to: {
            archivedAt: at,
            archivedBy: by,
            expiresAt: Math.ceil(at / 1000) + RULE_LIMITS.archivedDays * SECONDS_A_DAY,
          },
          record: { action: 'action archived', detail: name },
        },
  );

// §4.4.11 One transaction changes the rule and the row that runners read, and writes the audit record.

interface RuleRef extends RuleId, Submission {}

interface PlannedChange {
  /** The changed members. `undefined` removes a member. */
  readonly to: Partial<{ readonly [Name in keyof Rule]: Rule[Name] | undefined }>;
  /** Whether the change is refused in a deleted project. */
  readonly needsProject?: true;
  readonly record: { readonly action: AuditName<'actions:write'>; readonly detail: string };
}

/** Who changes a rule and when, for members of the rule such as `updatedBy` and `updatedAt`. */
interface ChangeAuthor {
  readonly by: string;
  readonly at: number;
}

/** `plan` returns `undefined` if nothing changes, and runs again after a concurrent change. */
function changeRule(
  services: CoreServices,
  ref: RuleRef,
  plan: (rule: Rule, by: ChangeAuthor) => PlannedChange | undefined,
) {
  const { organizationId, actionId, actor, formId, expects } = ref;
  return change(services, { actor, formId, expects, action: 'actions:write' }, async () => {
    const key = toRuleKey(ref);
    const lookups = [makeLookup(rules, key), makeLookup(archivedRules, key), makeLookup(appliedRules, key)] as const;
    const rows = await services.table.getTogether(lookups, { consistent: true });
    const rule = rows.of(lookups[0]) ?? rows.of(lookups[1]) ?? refuse(notFound('Action'));
    const now = services.now();
    const plannedChange = plan(rule, { by: formatActorName(actor), at: now });
    if (!plannedChange) return { result: presentRule(rule, now) };
    if (rule.archivedAt !== undefined) throw ruleArchived();
    const next = applyMembers({ ...rule, v: rule.v + 1 }, plannedChange.to);
    const countChange = next.archivedAt === undefined ? 0 : -1;
    return {
      result: presentRule(next, now),
      writes: [
        ...planRuleWrites(rule, next),
        planAppliedWrite(toRulesBefore(rule, rows.of(lookups[2])), next, { now, added: countChange }),
      ],
      ...(plannedChange.needsProject ? { inProject: key } : {}),
      record: { ...plannedChange.record, organizationId, subject: actionId, label: rule.name },
    };
  });
}

function planRuleWrites(before: Rule, next: Rule): Write[] {
  const condition = { path: 'v', equals: before.v } as const;
  if (next.archivedAt === undefined) return [put(rules, next, condition)];
  return [removeWhen(rules, before, condition), put(archivedRules, next)];
}

/** Leaves out members that are `undefined`, because the table cannot store them. */
function applyMembers(rule: Rule, members: PlannedChange['to']): Rule {
  const { disabledAt, disabledBy, ...rest } = rule;
  const newMembers = { disabledAt, disabledBy, ...members };
  const presentMembers = Object.fromEntries(Object.entries(newMembers).filter(([, value]) => value !== undefined));
  return { ...rest, ...presentMembers };
}
