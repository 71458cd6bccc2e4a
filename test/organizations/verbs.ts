/** Every verb of an organization, and by hand: who may use it (§5), what everybody else is told, and the record it leaves. */
import { createApiKey } from '#shared/credentials/create-api-key.ts';
import { deleteApiKey } from '#shared/credentials/delete-api-key.ts';
import { listApiKeys } from '#shared/credentials/list-api-keys.ts';
import { listPersonalTokens } from '#shared/credentials/list-personal-tokens.ts';
import { createPersonalToken, revokePersonalToken } from '#shared/credentials/personal-tokens.ts';
import type { Actor, Person } from '#shared/organizations/actor.ts';
import { createProject } from '#shared/organizations/create-project.ts';
import { deactivateOrganization } from '#shared/organizations/deactivate-organization.ts';
import { invite, listInvitations, withdrawInvitation } from '#shared/organizations/invitations.ts';
import { listProjectsOf } from '#shared/organizations/list-projects-of.ts';
import {
  addMember,
  changeRole,
  deprovisionMember,
  leaveOrganization,
  listMembers,
  removeMember,
} from '#shared/organizations/members.ts';
import { changeProjectSettings, readProjectSettings } from '#shared/organizations/project-settings.ts';
import { readAudit } from '#shared/organizations/read-audit.ts';
import type { Cast } from './cast.ts';

type Who = 'operator' | 'admin' | 'actionsAdmin' | 'member' | 'guest';
export interface Verb {
  readonly name: string;
  readonly may: readonly Who[];
  /** For the other roles. */
  readonly refusal: string;
  readonly act: (cast: Cast, actor: Actor) => Promise<unknown>;
  /** Action, subject and detail of the record; none for a look. Where the subject is a new id, it is found in the result. */
  readonly record?: (cast: Cast, actor: Actor) => readonly [string, string | RegExp, string | RegExp];
}

const ALL = ['operator', 'admin', 'actionsAdmin', 'member', 'guest'] as const;
const ADMINS = ['operator', 'admin'] as const;
const NOT_GUESTS = ['operator', 'admin', 'actionsAdmin', 'member'] as const;
const ADMIN_ONLY = 'Only an Admin of the organization may do this';
const OPERATOR_ONLY = 'Only the operator of this service may do this, at its command line (`npm run admin`)';
const NOBODY_REFUSED = '';
const ID = /^[0-9a-f]{16}$/;

const services = ({ stage }: Cast) => stage.services;
const on = ({ organizationId, subject }: Cast, actor: Actor) => ({
  organizationId,
  accountId: subject.accountId,
  actor,
});
const themselves = (actor: Actor): Person => {
  if (actor.kind === 'person') return actor;
  throw new Error('Nobody does this for somebody else, the operator neither');
};
const own = ({ of, subject }: Cast, actor: Actor): string =>
  Object.values(of).find(({ accountId }) => accountId === themselves(actor).accountId)?.tokenId ?? subject.tokenId;

export const CHANGES: readonly Verb[] = [
  {
    name: 'inviting',
    may: ADMINS,
    refusal: ADMIN_ONLY,
    act: (cast, actor) => invite(services(cast), { ...on(cast, actor), email: 'new@example.com', role: 'member' }),
    record: () => ['member invited', 'new@example.com', 'member'],
  },
  {
    name: 'withdrawing an invitation',
    may: ADMINS,
    refusal: ADMIN_ONLY,
    act: (cast, actor) => withdrawInvitation(services(cast), { ...on(cast, actor), email: cast.invited }),
    record: ({ invited }) => ['invitation withdrawn', invited, 'guest'],
  },
  {
    name: 'adding a member',
    may: ['operator'],
    refusal: OPERATOR_ONLY,
    act: (cast, actor) => addMember(services(cast), { ...on(cast, actor), ...cast.newcomer, role: 'guest', actor }),
    record: ({ newcomer }) => ['member added', newcomer.accountId, 'guest'],
  },
  {
    name: 'changing a role',
    may: ADMINS,
    refusal: ADMIN_ONLY,
    act: (cast, actor) => changeRole(services(cast), { ...on(cast, actor), role: 'admin' }),
    record: ({ subject }) => ['role changed', subject.accountId, 'member to admin'],
  },
  {
    name: 'removing a member',
    may: ADMINS,
    refusal: ADMIN_ONLY,
    act: (cast, actor) => removeMember(services(cast), on(cast, actor)),
    record: ({ subject }) => ['member removed', subject.accountId, 'member'],
  },
  {
    name: 'leaving',
    may: ['admin', 'actionsAdmin', 'member', 'guest'],
    refusal: NOBODY_REFUSED,
    act: (cast, actor) => leaveOrganization(services(cast), { ...on(cast, actor), actor: themselves(actor) }),
    record: (_, actor) => ['member left', themselves(actor).accountId, /^(admin|actionsAdmin|member|guest)$/],
  },
  {
    name: 'deprovisioning',
    may: ['operator'],
    refusal: OPERATOR_ONLY,
    act: (cast, actor) => deprovisionMember(services(cast), on(cast, actor)),
    record: ({ subject }) => ['member deprovisioned', subject.accountId, 'member'],
  },
  {
    name: 'deactivating the organization',
    may: ADMINS,
    refusal: ADMIN_ONLY,
    act: (cast, actor) => deactivateOrganization(services(cast), on(cast, actor)),
    record: ({ organizationId }) => ['organization deactivated', organizationId, 'Acme'],
  },
  {
    name: 'creating a project',
    may: ADMINS,
    refusal: ADMIN_ONLY,
    act: (cast, actor) => createProject(services(cast), { ...on(cast, actor), name: 'Warehouse' }),
    record: () => ['project created', /^[0-9a-f]{6}$/, 'Warehouse'],
  },
  {
    name: 'changing project settings',
    may: ADMINS,
    refusal: ADMIN_ONLY,
    act: (cast, actor) => {
      const of = { ...on(cast, actor), projectId: cast.projectId };
      return changeProjectSettings(services(cast), { ...of, settings: { failFast: true, name: 'Store' } });
    },
    record: ({ projectId }) => ['project changed', projectId, 'name: Shop to Store; failFast: false to true'],
  },
  {
    name: 'creating an API key',
    may: ADMINS,
    refusal: ADMIN_ONLY,
    act: (cast, actor) => createApiKey(services(cast), { ...on(cast, actor), label: 'Laptop', level: 'readWrite' }),
    record: () => ['API key created', ID, /^Laptop \(readWrite, \.\.\.[0-9A-Za-z]{4}\)$/],
  },
  {
    name: 'deleting an API key',
    may: ADMINS,
    refusal: ADMIN_ONLY,
    act: (cast, actor) => deleteApiKey(services(cast), { ...on(cast, actor), keyId: cast.keyId }),
    record: ({ keyId }) => ['API key deleted', keyId, /^CI \(readOnly, \.\.\.[0-9A-Za-z]{4}\)$/],
  },
  {
    name: 'creating a token',
    may: ['admin'],
    refusal: ADMIN_ONLY,
    act: (cast, actor) => {
      const wish = { ...on(cast, actor), name: 'Script', permissions: ['results:read'] };
      return createPersonalToken(services(cast), { ...wish, actor: themselves(actor) });
    },
    record: () => ['token created', ID, 'Script'],
  },
  {
    name: 'revoking an own token',
    may: ['admin', 'actionsAdmin', 'member', 'guest'],
    refusal: NOBODY_REFUSED,
    act: (cast, actor) => revokePersonalToken(services(cast), { ...on(cast, actor), tokenId: own(cast, actor) }),
    record: (cast, actor) => ['token revoked', own(cast, actor), 'laptop'],
  },
  {
    name: 'revoking the token of somebody else',
    may: ADMINS,
    refusal: ADMIN_ONLY,
    act: (cast, actor) => revokePersonalToken(services(cast), { ...on(cast, actor), tokenId: cast.subject.tokenId }),
    record: ({ subject }) => ['token revoked', subject.tokenId, 'laptop'],
  },
];

const look = (name: string, may: readonly Who[], refusal: string, act: Verb['act']): Verb => ({
  name,
  may,
  refusal,
  act,
});

export const LOOKS: readonly Verb[] = [
  look('listing members', ALL, NOBODY_REFUSED, (cast, actor) => listMembers(services(cast), on(cast, actor))),
  look('listing invitations', ADMINS, ADMIN_ONLY, (cast, actor) => listInvitations(services(cast), on(cast, actor))),
  look('listing projects', ALL, NOBODY_REFUSED, (cast, actor) => listProjectsOf(services(cast), on(cast, actor))),
  look('reading project settings', ALL, NOBODY_REFUSED, (cast, actor) =>
    readProjectSettings(services(cast), { ...on(cast, actor), projectId: cast.projectId }),
  ),
  look(
    'listing API keys',
    NOT_GUESTS,
    'Guests of the organization may not see this. Ask an Admin for another role',
    (cast, actor) => listApiKeys(services(cast), on(cast, actor)),
  ),
  look('listing tokens', ALL, NOBODY_REFUSED, (cast, actor) => listPersonalTokens(services(cast), on(cast, actor))),
  look('reading the audit record', ADMINS, ADMIN_ONLY, (cast, actor) => readAudit(services(cast), on(cast, actor))),
];
