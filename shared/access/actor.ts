/** §5 The kinds of actors, such as people and tokens. `may.ts` decides what an actor may do. */
import type { ApiKeyLevel } from '#shared/model/organizations/api-key.ts';
import type { Role } from '#shared/model/organizations/membership.ts';
import type { Permission, Scope } from '#shared/model/organizations/permissions.ts';

/** §5.1 */
interface ApiKeyActor {
  readonly kind: 'apiKey';
  readonly organizationId: string;
  readonly keyId: string;
  readonly label: string;
  readonly level: ApiKeyLevel;
}

/** §5.2 A personal access token. The verifier refuses tokens of members who are not Admins. */
interface PersonalTokenActor {
  readonly kind: 'personalToken';
  readonly organizationId: string;
  readonly tokenId: string;
  readonly accountId: string;
  readonly permissions: readonly Permission[];
}

/** §5.3 */
interface AccessTokenActor {
  readonly kind: 'accessToken';
  readonly organizationId: string;
  readonly tokenId: string;
  readonly accountId: string;
  readonly clientId: string;
  /** The permissions granted to the token. The role of its holder may allow only some of them. */
  readonly permissions: readonly Scope[];
  readonly role: Role;
}

/** An actor with an API credential. The authorizer passes the actor to the function. */
export type ApiActor = ApiKeyActor | PersonalTokenActor | AccessTokenActor;
export type CredentialKind = ApiActor['kind'];

/** A person without an API credential, who is signed in to the web pages or named with `--as` on the command line. */
export interface Person {
  readonly kind: 'person';
  readonly accountId: string;
  /** The role from the membership, which is read for each action. Absent until then, and for non-members. */
  readonly role?: Role;
}

/** The administrator of the deployment, on the command line. */
interface Operator {
  readonly kind: 'operator';
}

/** A background job. */
interface System {
  readonly kind: 'system';
  readonly job: 'clean-up' | 'automation' | 'delivery';
}

export type Actor = ApiActor | Person | Operator | System;

export const OPERATOR: Operator = { kind: 'operator' };
export const CLEAN_UP: System = { kind: 'system', job: 'clean-up' };
/** The background job that creates issues and quarantines tests, if the settings of a project ask for it. */
export const AUTOMATION: System = { kind: 'system', job: 'automation' };

/** The background job that sends webhooks and notifications. */
export const DELIVERY: System = { kind: 'system', job: 'delivery' };

export const makePerson = ({ accountId }: { readonly accountId: string }): Person => ({ kind: 'person', accountId });

export const getCredentialId = (actor: ApiActor): string => (actor.kind === 'apiKey' ? actor.keyId : actor.tokenId);

const USER = 'user:';
const KEY = 'api:';

/** For audit records and cancellations. The prefixes ensure that the label of a key never looks like a person. */
export function formatActorName(actor: Actor): string {
  if (actor.kind === 'apiKey') return `${KEY}${actor.label}`;
  if (actor.kind === 'operator') return 'operator';
  return actor.kind === 'system' ? actor.job : `${USER}${actor.accountId}`;
}

/** Returns `undefined` unless the actor is a person. */
export const parseAccountId = (name: string): string | undefined =>
  name.startsWith(USER) ? name.slice(USER.length) : undefined;

/** Returns `undefined` unless the actor is an API key. */
export const parseKeyLabel = (name: string): string | undefined =>
  name.startsWith(KEY) ? name.slice(KEY.length) : undefined;
