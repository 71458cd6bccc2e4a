/** §5.4 What a caller may not do, and how it is told. */
import { changesSomething, isPermission, type Permission, type Requirement } from '../resources/permissions.ts';
import type { Caller, CallerKind, Denial } from './caller.ts';
import { permits } from './role-ceilings.ts';

/** What an operation asks of its callers. */
export interface Demand {
  readonly permission: Requirement;
  readonly callers: readonly CallerKind[];
}

export type Refusal =
  /** Answered by the function, without a challenge. */
  | { readonly denial: Denial }
  /** Answered by the gateway, with the challenge of RFC 6750. */
  | { readonly lacks: Permission };

/** `undefined` for who may. */
export function refusalOf(caller: Caller, { permission, callers }: Demand): Refusal | undefined {
  if (!callers.includes(caller.kind)) {
    return { denial: caller.kind === 'apiKey' ? 'userCredentialRequired' : 'apiKeyRequired' };
  }
  if (caller.kind === 'apiKey') {
    return changesSomething(permission) && caller.level === 'readOnly' ? { denial: 'readOnlyKey' } : undefined;
  }
  if (permission === 'anyCredential') return undefined;
  if (!isPermission(permission)) return { denial: 'apiKeyRequired' };
  if (!caller.permissions.includes(permission)) return { lacks: permission };
  return permissionsOf(caller).includes(permission) ? undefined : { denial: 'insufficientRole' };
}

/** What was granted, as far as the role of the holder goes today. */
export const permissionsOf = (caller: Exclude<Caller, { kind: 'apiKey' }>): Permission[] =>
  caller.permissions.filter((granted) => caller.kind === 'personalToken' || permits(caller.role, granted));

export const challengeFor = (permission: Permission): string =>
  `Bearer error="insufficient_scope", scope="${permission}"`;
