/** §5 The kinds of actors, such as people and tokens. `may.ts` decides what an actor may do. */
import type { ApiKeyLevel } from '#shared/model/organizations/api-key.ts';
import type { Role } from '#shared/model/organizations/membership.ts';
import type { Permission, Scope } from '#shared/model/organizations/permissions.ts';
import type { CiBuild } from '#shared/model/runs/origin.ts';
import type { CompanySession, SignInMethod } from '#shared/model/sign-in/session.ts';

/** §5.1 */
interface ApiKeyActor {
  readonly kind: 'apiKey';
  readonly organizationId: string;
  readonly keyId: string;
  readonly label: string;
  readonly level: ApiKeyLevel;
  /** Present if a CI job got the key in exchange for its identity token. It then only records this build. */
  readonly build?: CiBuild | undefined;
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
  /** How the person signed in. Absent on the command line, where the operator answers for them. */
  readonly signIn?: PersonSignIn;
}

/** A session of company sign-in opens one organization only. */
export interface PersonSignIn {
  readonly method: SignInMethod;
  readonly company?: Pick<CompanySession, 'organizationId'>;
}

/** The administrator of the deployment, on the command line. */
interface Operator {
  readonly kind: 'operator';
}

/** A background job. */
interface System {
  readonly kind: 'system';
  readonly job: 'clean-up' | 'automation' | 'delivery' | 'company sign-in';
}

/** The directory of a company, which provisions the people of its organization with a SCIM token. */
export interface DirectoryActor {
  readonly kind: 'directory';
  readonly organizationId: string;
  readonly tokenId: string;
}

export type Actor = ApiActor | Person | Operator | System | DirectoryActor;

export const OPERATOR: Operator = { kind: 'operator' };
export const CLEAN_UP: System = { kind: 'system', job: 'clean-up' };
/** The background job that creates issues and quarantines tests, if the settings of a project ask for it. */
export const AUTOMATION: System = { kind: 'system', job: 'automation' };

/** The identity provider of an organization, which lets people in. */
export const COMPANY_SIGN_IN: System = { kind: 'system', job: 'company sign-in' };
/** The background job that sends webhooks and notifications. */
export const DELIVERY: System = { kind: 'system', job: 'delivery' };

export const makePerson = ({ accountId }: { readonly accountId: string }): Person => ({ kind: 'person', accountId });

/** The person in a browser. */
export const makeSignedInPerson = ({
  accountId,
  method,
  company,
}: PersonSignIn & { readonly accountId: string }): Person => ({
  ...makePerson({ accountId }),
  signIn: company ? { method, company } : { method },
});

/** The build to which the credential of a CI job is bound. */
export const findBuild = (actor: ApiActor | undefined): CiBuild | undefined =>
  actor?.kind === 'apiKey' ? actor.build : undefined;

export const getCredentialId = (actor: ApiActor): string => (actor.kind === 'apiKey' ? actor.keyId : actor.tokenId);

const USER = 'user:';
const KEY = 'api:';
const CI = 'ci:';

/** For audit records and cancellations. The prefixes ensure that the label of a key never looks like a person. */
export function formatActorName(actor: Actor): string {
  if (actor.kind === 'apiKey') return `${actor.build ? CI : KEY}${actor.label}`;
  if (actor.kind === 'operator') return 'operator';
  if (actor.kind === 'directory') return 'scim';
  return actor.kind === 'system' ? actor.job : `${USER}${actor.accountId}`;
}

/** Returns `undefined` unless the actor is a person. */
export const parseAccountId = (name: string): string | undefined =>
  name.startsWith(USER) ? name.slice(USER.length) : undefined;

/** Returns `undefined` unless the actor is an API key. */
export const parseKeyLabel = (name: string): string | undefined =>
  name.startsWith(KEY) ? name.slice(KEY.length) : undefined;
