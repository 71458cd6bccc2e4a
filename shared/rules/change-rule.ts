/** §4.4.11 One transaction changes the rule and the row that runners read, and writes the audit record. */
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
import { ruleArchived } from './errors.ts';
import { type RuleId, toRuleKey } from './find-rule.ts';
import { presentRule } from './rule-wire.ts';

export interface RuleRef extends RuleId, Submission {}

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
export function changeRule(
  services: CoreServices,
  ref: RuleRef,
  plan: (rule: Rule, by: ChangeAuthor) => PlannedChange | undefined,
) {
  const { organizationId, actionId, actor, formId, expects } = ref;
  return change(services, { actor, formId, expects, action: 'actions:write' }, async () => {
    const key = toRuleKey(ref);
    const ofCurrentRule = makeLookup(rules, key);
    const ofArchivedRule = makeLookup(archivedRules, key);
    const ofAppliedRules = makeLookup(appliedRules, key);
    const rows = await services.table.getTogether([ofCurrentRule, ofArchivedRule, ofAppliedRules], {
      consistent: true,
    });
    const rule = rows.of(ofCurrentRule) ?? rows.of(ofArchivedRule) ?? refuse(notFound('Action'));
    const now = services.now();
    const plannedChange = plan(rule, { by: formatActorName(actor), at: now });
    if (!plannedChange) return { result: presentRule(rule, now) };
    if (rule.archivedAt !== undefined) throw ruleArchived();
    const next = applyMembers({ ...rule, v: rule.v + 1 }, plannedChange.to);
    const rulesBefore = toRulesBefore(rule, rows.of(ofAppliedRules));
    const added = next.archivedAt === undefined ? 0 : -1;
    return {
      result: presentRule(next, now),
      writes: [...planRuleWrites(rule, next), planAppliedWrite(rulesBefore, next, { now, added })],
      inProject: plannedChange.needsProject ? key : undefined,
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
