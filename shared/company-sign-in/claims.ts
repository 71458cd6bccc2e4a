/** What a provider states about a person: their groups, address and name. */

import { makeVisibleLine, takeFirstCharacters } from '#shared/engine/plain-text.ts';
import { findEmailAddress } from '#shared/organizations/create-account.ts';
import { COMPANY_LIMITS } from './limits.ts';

/** The claims of the ID token, completed by those of the UserInfo endpoint. Nothing in them has been checked. */
export type Claims = Readonly<Record<string, unknown>> & { readonly sub: string };

/**
 * Microsoft Entra states addresses that people can change themselves, and no `email_verified`. A tenant that adds the
 * claim `xms_edov` states whether the owner of the domain of the address was checked.
 */
const ENTRA = /^https:\/\/login\.microsoftonline\.[a-z]+\//;

/** Only the boolean `true` counts: a text such as `"false"` would be true in JavaScript. */
export const isAddressVerified = (issuer: string, claims: Claims): boolean =>
  claims[ENTRA.test(issuer) ? 'xms_edov' : 'email_verified'] === true;

/** The groups that the claim states. Providers send a list, or the name of a single group. */
export function listGroups(claimName: string | undefined, claims: Claims): string[] {
  if (claimName === undefined) return [];
  const statement = claims[claimName];
  const groups: readonly unknown[] = Array.isArray(statement) ? statement : [statement];
  return groups
    .filter((group): group is string => typeof group === 'string' && group.length <= COMPANY_LIMITS.groupCharacters)
    .slice(0, COMPANY_LIMITS.groups);
}

/** The address of the person, or `undefined` if the provider states none that could be one. */
export function findAddress(claims: Claims): string | undefined {
  for (const text of [claims['email'], claims['preferred_username']]) {
    const address = typeof text === 'string' ? findEmailAddress(text) : undefined;
    if (address !== undefined) return address;
  }
  return undefined;
}

/** Without a name that can be shown, the part of the address before the `@`. */
export function findName(name: unknown, email: string): string {
  const visibleName = typeof name === 'string' ? makeVisibleLine(name).trim() : '';
  return takeFirstCharacters(visibleName || email.slice(0, email.lastIndexOf('@')), COMPANY_LIMITS.nameCharacters);
}
