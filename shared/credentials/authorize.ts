/** §5.4 What a caller may not do, and how it is told. */
import { changesSomething, type Permission, type Requirement } from '../resources/permissions.ts';
import type { Caller, CallerKind, Denial } from './caller.ts';

/** What an operation asks of its callers. */
export interface Demand {
  readonly permission: Requirement;
  readonly callers: readonly CallerKind[];
}

export type Verdict =
  | { readonly may: true }
  /** Answered by the function, without a challenge. */
  | { readonly may: false; readonly denial: Denial }
  /** Answered by the gateway, with the challenge of RFC 6750. */
  | { readonly may: false; readonly lacks: Permission };

export function authorize(caller: Caller, { permission, callers }: Demand): Verdict {
  if (!callers.includes(caller.kind)) {
    return { may: false, denial: caller.kind === 'apiKey' ? 'userCredentialRequired' : 'apiKeyRequired' };
  }
  if (caller.kind === 'apiKey') {
    const refused = changesSomething(permission) && caller.level === 'readOnly';
    return refused ? { may: false, denial: 'readOnlyKey' } : { may: true };
  }
  if (permission === 'anyCredential' || permission === 'public') return { may: true };
  if (permission === 'record') return { may: false, denial: 'apiKeyRequired' };
  return caller.permissions.includes(permission) ? { may: true } : { may: false, lacks: permission };
}

export const challengeFor = (permission: Permission): string =>
  `Bearer error="insufficient_scope", scope="${permission}"`;
