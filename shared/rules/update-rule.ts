/** §4.4.11 Changes what a rule matches and does, and turns it on and off. */
import type * as z from 'zod';
import type { CoreServices } from '#shared/services.ts';
import { changeRule, type RuleRef } from './change-rule.ts';
import { refusePastExpiry } from './expiry.ts';
import { RULE_LIMITS } from './limits.ts';
import type { ActionChange } from './rule-wire.ts';

const MEMBERS = ['name', 'description', 'action', 'matcher', 'expiresAfter'] as const;

/** Writes only values that differ, so a repeated request changes nothing. */
export function updateRule(
  services: CoreServices,
  { input, ...ref }: RuleRef & { readonly input: z.output<typeof ActionChange> },
) {
  return changeRule(services, ref, (rule, { by, at }) => {
    const names = MEMBERS.filter(
      (name) => input[name] !== undefined && JSON.stringify(input[name]) !== JSON.stringify(rule[name]),
    );
    if (names.length === 0) return undefined;
    if (names.includes('expiresAfter')) refusePastExpiry(input.expiresAfter, at);
    const to = Object.fromEntries(names.map((name) => [name, input[name]]));
    return {
      to: { ...to, updatedAt: at, updatedBy: by },
      record: { action: 'action changed', detail: names.join(', ') },
    };
  });
}

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
      : { to: { disabledAt: undefined, disabledBy: undefined }, record: { action: 'action enabled', detail: name } },
  );

const SECONDS_A_DAY = 86_400;

/** An archived rule stays readable, because results name it. */
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
