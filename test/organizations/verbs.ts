/**
 * Operations that change an organization, each with its action, its refusal and its audit record, written by hand from
 * §5.
 */

import type { OrganizationAction } from '#shared/access/actions.ts';
import type { Actor, Person } from '#shared/access/actor.ts';
import { createApiKey } from '#shared/organizations/create-api-key.ts';
import { createProject } from '#shared/organizations/create-project.ts';
import { deactivateOrganization } from '#shared/organizations/deactivate-organization.ts';
import { deleteApiKey } from '#shared/organizations/delete-api-key.ts';
import { deleteOrganization } from '#shared/organizations/delete-organization.ts';
import { requestErasure } from '#shared/organizations/erased-people.ts';
import { inviteMember, withdrawInvitation } from '#shared/organizations/invitations.ts';
import {
  addMember,
  changeRole,
  deprovisionMember,
  leaveOrganization,
  removeMember,
} from '#shared/organizations/members.ts';
import { createPersonalToken, revokePersonalToken } from '#shared/organizations/personal-tokens.ts';
import { changeProjectSettings } from '#shared/organizations/project-settings.ts';
import { changeSharing } from '#shared/organizations/sharing-settings.ts';
import { changeUsageLimits } from '#shared/organizations/usage-limits.ts';
import { trustRepository } from '#shared/trusted-ci/trusted-repositories.ts';
import type { Cast } from './cast.ts';

export interface Verb {
  readonly name: string;
  /** The action that the operation takes. The oracle of `test/access` says who may take it. */
  readonly action: OrganizationAction;
  /** The message for roles that may not take this action. */
  readonly refusal: string;
  readonly act: (cast: Cast, actor: Actor) => Promise<unknown>;
  /**
   * Action, subject and detail of the audit record, or patterns if they contain a new id. Reads have no `record`,
   * because they are not audited.
   */
  readonly record?: (cast: Cast, actor: Actor) => readonly [string, string | RegExp, string | RegExp];
}

export const ADMIN_ONLY = 'Only an Admin of the organization can do this. Ask an Admin to do it';
const OPERATOR_ONLY = 'Only the operator of this service can do this, by running `npm run admin` without --as';
export const NEVER_REFUSED = '';
const ID = /^[0-9a-f]{16}$/;

export const services = ({ stage }: Cast) => stage.services;
export const on = ({ organizationId, subject }: Cast, actor: Actor) => ({
  organizationId,
  accountId: subject.accountId,
  actor,
});
const themselves = (actor: Actor): Person => {
  if (actor.kind === 'person') return actor;
  throw new Error('Only an account can do this, and only for itself');
};
const own = ({ tokenOf }: Cast, actor: Actor): string => tokenOf(themselves(actor));

export const CHANGES: readonly Verb[] = [
  {
    name: 'inviting someone',
    action: 'invitations:create',
    refusal: ADMIN_ONLY,
    act: (cast, actor) =>
      inviteMember(services(cast), { ...on(cast, actor), email: 'new@example.com', role: 'member' }),
    record: () => ['member invited', 'new@example.com', 'member'],
  },
  {
    name: 'withdrawing an invitation',
    action: 'invitations:withdraw',
    refusal: ADMIN_ONLY,
    act: (cast, actor) => withdrawInvitation(services(cast), { ...on(cast, actor), email: cast.invited }),
    record: ({ invited }) => ['invitation withdrawn', invited, 'guest'],
  },
  {
    name: 'adding a member',
    action: 'members:add',
    refusal: OPERATOR_ONLY,
    act: (cast, actor) => addMember(services(cast), { ...on(cast, actor), ...cast.newcomer, role: 'guest', actor }),
    record: ({ newcomer }) => ['member added', newcomer.accountId, 'guest'],
  },
  {
    name: 'changing a role',
    action: 'members:changeRole',
    refusal: ADMIN_ONLY,
    act: (cast, actor) => changeRole(services(cast), { ...on(cast, actor), role: 'admin' }),
    record: ({ subject }) => ['role changed', subject.accountId, 'member to admin'],
  },
  {
    name: 'removing a member',
    action: 'members:remove',
    refusal: ADMIN_ONLY,
    act: (cast, actor) => removeMember(services(cast), on(cast, actor)),
    record: ({ subject }) => ['member removed', subject.accountId, 'member'],
  },
  {
    name: 'leaving the organization',
    action: 'members:leave',
    refusal: NEVER_REFUSED,
    act: (cast, actor) => leaveOrganization(services(cast), { ...on(cast, actor), actor: themselves(actor) }),
    record: (_, actor) => ['member left', themselves(actor).accountId, /^(admin|actionsAdmin|member|guest)$/],
  },
  {
    name: 'deprovisioning a member',
    action: 'members:deprovision',
    refusal: OPERATOR_ONLY,
    act: (cast, actor) => deprovisionMember(services(cast), on(cast, actor)),
    record: ({ subject }) => ['member deprovisioned', subject.accountId, 'member'],
  },
  {
    name: 'deactivating the organization',
    action: 'organizations:deactivate',
    refusal: ADMIN_ONLY,
    act: (cast, actor) => deactivateOrganization(services(cast), on(cast, actor)),
    record: ({ organizationId }) => ['organization deactivated', organizationId, 'Acme'],
  },
  {
    name: 'deleting the organization',
    action: 'organizations:delete',
    refusal: OPERATOR_ONLY,
    act: (cast, actor) => deleteOrganization(services(cast), { ...on(cast, actor), atOnce: false }),
    record: ({ organizationId }) => ['organization deleted', organizationId, /^it is removed on 20/],
  },
  {
    name: 'changing the sharing settings',
    action: 'organizations:change',
    refusal: ADMIN_ONLY,
    act: (cast, actor) =>
      changeSharing(services(cast), { ...on(cast, actor), settings: { shareDays: 1, aiMayRead: false } }),
    record: ({ organizationId }) => [
      'organization changed',
      organizationId,
      'shares: 7 days to 1 day; AI tools may not read failures',
    ],
  },
  {
    name: 'limiting the organization',
    action: 'organizations:limit',
    refusal: OPERATOR_ONLY,
    act: (cast, actor) => changeUsageLimits(services(cast), { ...on(cast, actor), change: { requestsPerMonth: 5000 } }),
    record: ({ organizationId }) => ['limits changed', organizationId, 'requests per month: default to 5,000'],
  },
  {
    name: 'creating a project',
    action: 'projects:write',
    refusal: ADMIN_ONLY,
    act: (cast, actor) => createProject(services(cast), { ...on(cast, actor), name: 'Warehouse' }),
    record: () => ['project created', /^[0-9a-f]{6}$/, 'Warehouse'],
  },
  {
    name: 'changing project settings',
    action: 'projects:write',
    refusal: ADMIN_ONLY,
    act: (cast, actor) => {
      const scope = { ...on(cast, actor), projectId: cast.projectId };
      return changeProjectSettings(services(cast), { ...scope, settings: { failFast: true, name: 'Store' } });
    },
    record: ({ projectId }) => ['project changed', projectId, 'name: Shop to Store; failFast: false to true'],
  },
  {
    name: 'trusting a repository',
    action: 'trustedCi:change',
    refusal: ADMIN_ONLY,
    act: (cast, actor) => {
      const scope = { ...on(cast, actor), projectId: cast.projectId };
      const settings = {
        provider: 'github',
        issuer: '',
        repository: 'acme/shop',
        branch: '',
        environment: '',
      } as const;
      return trustRepository(services(cast), { ...scope, settings });
    },
    record: () => ['repository trusted', /./, /acme\/shop/],
  },
  {
    name: 'creating an API key',
    action: 'apiKeys:create',
    refusal: ADMIN_ONLY,
    act: (cast, actor) => createApiKey(services(cast), { ...on(cast, actor), label: 'Laptop', level: 'readWrite' }),
    record: () => ['API key created', ID, /^Laptop \(readWrite, \.\.\.[0-9A-Za-z]{4}\)$/],
  },
  {
    name: 'deleting an API key',
    action: 'apiKeys:delete',
    refusal: ADMIN_ONLY,
    act: (cast, actor) => deleteApiKey(services(cast), { ...on(cast, actor), keyId: cast.keyId }),
    record: ({ keyId }) => ['API key deleted', keyId, /^CI \(readOnly, \.\.\.[0-9A-Za-z]{4}\)$/],
  },
  {
    name: 'creating a token',
    action: 'tokens:create',
    refusal: ADMIN_ONLY,
    act: (cast, actor) => {
      const request = { ...on(cast, actor), name: 'Script', permissions: ['results:read'] };
      return createPersonalToken(services(cast), { ...request, actor: themselves(actor) });
    },
    record: () => ['token created', ID, 'Script'],
  },
  {
    name: 'revoking an own token',
    action: 'tokens:revokeOwn',
    refusal: NEVER_REFUSED,
    act: (cast, actor) => revokePersonalToken(services(cast), { ...on(cast, actor), tokenId: own(cast, actor) }),
    record: (cast, actor) => ['token revoked', own(cast, actor), 'laptop'],
  },
  {
    name: 'revoking the token of someone else',
    action: 'tokens:revokeAny',
    refusal: ADMIN_ONLY,
    act: (cast, actor) => revokePersonalToken(services(cast), { ...on(cast, actor), tokenId: cast.subject.tokenId }),
    record: ({ subject }) => ['token revoked', subject.tokenId, 'laptop'],
  },
  {
    name: 'erasing a person',
    action: 'people:erase',
    refusal: ADMIN_ONLY,
    act: (cast, actor) => requestErasure(services(cast), { ...on(cast, actor), email: 'author@example.com' }),
    record: () => ['person erased', /^[0-9a-f]{12}@erased\.invalid$/, /^Erased person [0-9a-f]{8}$/],
  },
];
