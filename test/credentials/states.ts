/** States that a credential can be in, each made on an organization of its own. */
import { deleteApiKey } from '#shared/credentials/delete-api-key.ts';
import { listApiKeys } from '#shared/credentials/list-api-keys.ts';
import { revokePersonalToken } from '#shared/credentials/personal-tokens.ts';
import { hashToken } from '#shared/credentials/token.ts';
import { OPERATOR, person } from '#shared/organizations/actor.ts';
import { deactivateOrganization } from '#shared/organizations/deactivate-organization.ts';
import {
  addMember,
  changeRole,
  deprovisionMember,
  leaveOrganization,
  removeMember,
} from '#shared/organizations/members.ts';
import { apiKeys } from '#shared/resources/api-key.ts';
import type { Role } from '#shared/resources/membership.ts';
import { dyingAfter } from '#test/harness/interrupted-table.ts';
import { member, type Token, token } from '#test/harness/people.ts';
import { clock, type Tenant, type TestService } from '#test/harness/service.ts';
import { badValues, unknownKey } from '#test/http/bad-credentials.ts';
import type { Rights } from './oracle.ts';

type Stage = TestService & Tenant;

export interface State {
  readonly name: string;
  readonly rights: Rights;
  /** The credential's value, once it is in this state. */
  readonly make: (stage: Stage) => Promise<string>;
}

const NOBODY: Rights = { is: 'nobody' };
/** Written out on purpose: what there is to be granted, as the specification lists it. */
export const ALL = [
  'projects:read',
  'projects:write',
  'results:read',
  'analytics:read',
  'actions:read',
  'actions:write',
  'issues:write',
  'runs:write',
  'webhooks:read',
  'webhooks:write',
];
/** What a permission brings along. */
const GIVES: Readonly<Record<string, readonly string[]>> = {
  'projects:write': ['projects:read', 'projects:write'],
  'actions:write': ['actions:read', 'actions:write'],
  'webhooks:write': ['webhooks:read', 'webhooks:write'],
};

const ownership = ({ organizationId }: Stage, { owner }: Token) => ({
  organizationId,
  accountId: owner.accountId,
  actor: OPERATOR,
});

/** A token of an Admin who is not the only one, after something happened to it. */
const tokenAfter =
  (happens: (stage: Stage, one: Token) => Promise<unknown>, permissions = ALL) =>
  async (stage: Stage): Promise<string> => {
    await member(stage, 'admin');
    const one = await token(stage, { permissions });
    await happens(stage, one);
    return one.value;
  };

const asRole = (role: Role): State => ({
  name: `a token whose owner became ${role}`,
  rights: NOBODY,
  make: tokenAfter((stage, one) => changeRole(stage.services, { ...ownership(stage, one), role })),
});

const leaving = (happened: string, happens: (stage: Stage, one: Token) => Promise<unknown>): State => ({
  name: `a token whose owner ${happened}`,
  rights: NOBODY,
  make: tokenAfter(happens),
});
const left = (stage: Stage, { owner }: Token) =>
  leaveOrganization(stage.services, { organizationId: stage.organizationId, actor: person(owner) });

const keyStates: readonly State[] = [
  {
    name: 'a Read & Write key',
    rights: { is: 'key', level: 'Read & Write' },
    make: async ({ keys }) => keys.readWrite,
  },
  { name: 'a Read Only key', rights: { is: 'key', level: 'Read Only' }, make: async ({ keys }) => keys.readOnly },
  {
    name: 'a key from before levels existed',
    rights: { is: 'key', level: 'Read & Write' },
    make: async ({ services, keys }) => {
      await services.table.update(apiKeys, { hash: hashToken(keys.readOnly) }, { remove: ['level'] });
      return keys.readOnly;
    },
  },
  {
    name: 'a deleted key',
    rights: NOBODY,
    make: async ({ services, organizationId, keys }) => {
      const all = await listApiKeys(services, { organizationId, actor: OPERATOR });
      const keyId = all.find(({ lastFour }) => keys.readWrite.endsWith(lastFour))?.keyId ?? '';
      await deleteApiKey(services, { organizationId, keyId, actor: OPERATOR });
      return keys.readWrite;
    },
  },
  {
    name: 'a key of a deactivated organization',
    rights: NOBODY,
    make: async (stage) => {
      await deactivateOrganization(stage.services, { ...stage, actor: OPERATOR });
      return stage.keys.readWrite;
    },
  },
  { name: 'a key that was never made', rights: NOBODY, make: async () => unknownKey() },
  ...Object.keys(badValues('rdn_key_x')).map((name) => ({
    name: `instead of a key ${name}`,
    rights: NOBODY,
    make: async ({ keys }: Stage) => badValues(keys.readWrite)[name] ?? '',
  })),
];

const tokenStates: readonly State[] = [
  {
    name: 'a token with every permission',
    rights: { is: 'token', permissions: ALL },
    make: tokenAfter(async () => {}),
  },
  ...ALL.map(
    (permission): State => ({
      name: `a token with ${permission}`,
      rights: { is: 'token', permissions: GIVES[permission] ?? [permission] },
      make: tokenAfter(async () => {}, [permission]),
    }),
  ),
  {
    name: 'a token on its last day',
    rights: { is: 'token', permissions: ALL },
    make: tokenAfter(async () => clock.set('2026-12-02T23:59:59.999Z')),
  },
  { name: 'an expired token', rights: NOBODY, make: tokenAfter(async () => clock.set('2026-12-03T00:00:00.000Z')) },
  {
    name: 'a revoked token',
    rights: NOBODY,
    make: tokenAfter((stage, { tokenId }) =>
      revokePersonalToken(stage.services, { ...stage, tokenId, actor: OPERATOR }),
    ),
  },
  ...(['actionsAdmin', 'member', 'guest'] as const).map(asRole),
  {
    name: 'a token whose owner was demoted and is Admin again',
    rights: { is: 'token', permissions: ALL },
    make: tokenAfter(async (stage, one) => {
      await changeRole(stage.services, { ...ownership(stage, one), role: 'guest' });
      await changeRole(stage.services, { ...ownership(stage, one), role: 'admin' });
    }),
  },
  leaving('was removed', (stage, one) => removeMember(stage.services, ownership(stage, one))),
  leaving('left', left),
  leaving('was deprovisioned', (stage, one) => deprovisionMember(stage.services, ownership(stage, one))),
  {
    name: 'a token whose owner left and came back',
    rights: NOBODY,
    make: tokenAfter(async (stage, one) => {
      await left(stage, one);
      clock.advance(1);
      await addMember(stage.services, { ...ownership(stage, one), role: 'admin' });
    }),
  },
  {
    name: 'a token of a deactivated organization',
    rights: NOBODY,
    make: tokenAfter((stage) => deactivateOrganization(stage.services, { ...stage, actor: OPERATOR })),
  },
  {
    name: 'a token of an organization that was deactivated by a process that died before it came to tokens',
    rights: NOBODY,
    make: tokenAfter((stage) =>
      deactivateOrganization(dyingAfter(stage.services, 1), { ...stage, actor: OPERATOR }).catch(() => {}),
    ),
  },
];

export const STATES: readonly State[] = [...keyStates, ...tokenStates];
