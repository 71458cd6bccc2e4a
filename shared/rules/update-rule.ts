/** §4.4.11 Changes, disables, enables and archives rules. */

import { isDeepStrictEqual } from 'node:util';
import type * as z from 'zod';
import { DAY_MILLISECONDS, DAY_SECONDS } from '#shared/engine/durations.ts';
import type { CoreServices } from '#shared/services.ts';
import { changeRule, type RuleRef } from './change-rule.ts';
import { ruleTooLong } from './errors.ts';
import { RULE_LIMITS } from './limits.ts';
import { Matcher } from './matcher-wire.ts';
import { moveMatcher } from './moved-matcher.ts';
import { formatQuarantineName } from './quarantine-of-test.ts';
import type { Renaming } from './renamed-tests.ts';
import type { ActionChange } from './rule-wire.ts';
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
  changeRule(services, ref, ({ name, archivedAt, disabledAt }, { by, at }) => {
    if (archivedAt === undefined && disabledAt !== undefined) return undefined;
    return { to: { disabledAt: at, disabledBy: by }, record: { action: 'action disabled', detail: name } };
  });

export const enableRule = (services: CoreServices, ref: RuleRef) =>
  changeRule(services, ref, ({ name, archivedAt, disabledAt }) => {
    if (archivedAt === undefined && disabledAt === undefined) return undefined;
    return {
      to: { disabledAt: undefined, disabledBy: undefined },
      needsProject: true,
      record: { action: 'action enabled', detail: name },
    };
  });

/** Not deleted, because results refer to it. */
export const archiveRule = (services: CoreServices, ref: RuleRef) =>
  changeRule(services, ref, ({ name, archivedAt }, { by, at }) => {
    if (archivedAt !== undefined) return undefined;
    const expiresAt = Math.ceil(at / 1000) + RULE_LIMITS.archivedDays * DAY_SECONDS;
    return { to: { archivedAt: at, archivedBy: by, expiresAt }, record: { action: 'action archived', detail: name } };
  });
