/** §4.4.11 Rules in the API, which calls them actions: response and request schemas. */
import * as z from 'zod';
import { parseAccountId } from '#shared/access/actor.ts';
import { dateTime, formatIsoTime } from '#shared/engine/http/date-time.ts';
import { instant } from '#shared/engine/http/instant.ts';
import { atMost } from '#shared/engine/http/lists.ts';
import { NAME, NAME_PROBLEM, text } from '#shared/model/names.ts';
import type { Rule } from '#shared/model/rules/rule.ts';
import { RULE_LIMITS } from './limits.ts';
import { Matcher, presentMatcher, ShownMatcher } from './matcher-wire.ts';
import { deriveRuleStatus, RULE_STATUSES } from './status.ts';

const actor = z
  .string()
  .optional()
  .meta({ description: 'The label of an API key, `user:` and the account id, or `automation`' });

const RuleStatus = z
  .enum(RULE_STATUSES)
  .meta({ description: 'Runners apply active rules only. `expired` follows from `expiresAfter`' });

const ShownAction = z.object({
  op: z.enum(['skip', 'quarantine', 'tag']),
  details: z.object({ tags: z.array(z.string()) }).optional(),
});

export const RuleWire = z
  .object({
    actionId: z.string(),
    projectId: z.string(),
    v: z.int().meta({ description: 'Version. Each change increments it' }),
    name: z.string(),
    description: z.string().nullable(),
    action: z.array(ShownAction),
    matcher: ShownMatcher,
    status: RuleStatus,
    expiresAfter: dateTime.nullable(),
    createdAt: dateTime,
    createdBy: z.string().meta({ description: 'The label of an API key, `user:` and the account id, or `automation`' }),
    updatedAt: dateTime.optional(),
    updatedBy: actor,
    disabledAt: dateTime.optional(),
    disabledBy: actor,
    archivedAt: dateTime.optional(),
    archivedBy: actor,
  })
  .meta({ id: 'Action' });

export type ShownRule = z.infer<typeof RuleWire>;

const name = text(RULE_LIMITS.nameCharacters)
  .trim()
  .min(1)
  // A runner also writes the name into an annotation as JSON, which cannot be parsed if it is too long and is cut.
  // Escaped control characters would make it longer.
  .regex(NAME, { error: NAME_PROBLEM });
const description = text(RULE_LIMITS.descriptionCharacters).nullable();
const tags = atMost(RULE_LIMITS.tagsPerAction, text(RULE_LIMITS.tagCharacters).trim().min(1), 1);

/** Constraints that JSON Schema cannot express, for the descriptions of operations. */
export const RULE_NOTES =
  'Each element of `action` has an `op`. A condition has a value that fits its type and operator; `any` and `empty` need none. `expiresAfter` is in the future.';

const ActionStep = z.discriminatedUnion('op', [
  z.strictObject({ op: z.literal('skip') }).meta({ description: 'The test does not run' }),
  z
    .strictObject({ op: z.literal('quarantine') })
    .meta({ description: 'The test runs, and its failure counts as pending' }),
  z
    .strictObject({ op: z.literal('tag'), details: z.strictObject({ tags }) })
    .meta({ description: 'The test gets these tags' }),
]);
const action = atMost(ActionStep.options.length, ActionStep, 1)
  .refine((steps) => new Set(steps.map(({ op }) => op)).size === steps.length, {
    error: 'must have each `op` at most once. List all tags in one element',
  })
  .meta({ description: 'What happens to matching tests' });
const expiresAfter = instant.nullable().meta({ description: 'The rule expires at this time. null: never' });

export const NewAction = z.strictObject({
  name,
  description: description.default(null),
  action,
  matcher: Matcher,
  expiresAfter: expiresAfter.default(null),
});

export const ActionChange = z
  .strictObject({
    name: name.optional(),
    description: description.optional(),
    action: action.optional(),
    matcher: Matcher.optional(),
    expiresAfter: expiresAfter.optional(),
  })
  .refine((change) => Object.values(change).some((value) => value !== undefined), {
    error: 'changes nothing. Send at least one of `name`, `description`, `action`, `matcher` and `expiresAfter`',
  });

export const actionsQuery = {
  status: z
    .array(RuleStatus)
    .default([...RULE_STATUSES])
    .meta({ description: 'Only rules with any of these statuses' }),
  search: z
    .string()
    .max(RULE_LIMITS.searchCharacters)
    .optional()
    .meta({ description: 'Only rules with this text in their name, ignoring case' }),
};

/** Without the prefix `api:` of a key's label, as clients expect, unless it could be mistaken for a person. */
function presentActor(name: string): string {
  const label = name.replace(/^api:/, '');
  return parseAccountId(label) === undefined || label === name ? label : name;
}

/** Empty if `at` is `undefined`. */
function presentChange(event: 'updated' | 'disabled' | 'archived', at: number | undefined, by = '') {
  return at === undefined ? {} : { [`${event}At`]: formatIsoTime(at), [`${event}By`]: presentActor(by) };
}

export const presentRule = (rule: Rule, now: number): z.infer<typeof RuleWire> => ({
  actionId: rule.actionId,
  projectId: rule.projectId,
  v: rule.v,
  name: rule.name,
  description: rule.description,
  action: rule.action.map((step) =>
    step.op === 'tag' ? { ...step, details: { tags: [...step.details.tags] } } : step,
  ),
  matcher: presentMatcher(rule.matcher),
  status: deriveRuleStatus(rule, now),
  expiresAfter: rule.expiresAfter === null ? null : formatIsoTime(rule.expiresAfter),
  createdAt: formatIsoTime(rule.createdAt),
  createdBy: presentActor(rule.createdBy),
  ...presentChange('updated', rule.updatedAt, rule.updatedBy),
  ...presentChange('disabled', rule.disabledAt, rule.disabledBy),
  ...presentChange('archived', rule.archivedAt, rule.archivedBy),
});
