/**
 * The states that an API key or a personal access token can be in. A test creates its own organization, unless creating
 * the state is harmless and the test only reads.
 */

import { makePerson, OPERATOR } from '#shared/access/actor.ts';
import { hashToken } from '#shared/access/token.ts';
import { apiKeys } from '#shared/model/organizations/api-key.ts';
import type { Role } from '#shared/model/organizations/membership.ts';
import { deactivateOrganization } from '#shared/organizations/deactivate-organization.ts';
import { deleteApiKey } from '#shared/organizations/delete-api-key.ts';
import { listApiKeys } from '#shared/organizations/list-api-keys.ts';
import {
  addMember,
  changeRole,
  deprovisionMember,
  leaveOrganization,
  removeMember,
} from '#shared/organizations/members.ts';
import { revokePersonalToken } from '#shared/organizations/personal-tokens.ts';
import { badValues, unknownKey } from '#test/engine/http/bad-credentials.ts';
import { dyingAfter } from '#test/harness/interrupted-table.ts';
import { type Token, token } from '#test/harness/people.ts';
import { clock, type Tenant, type TestService } from '#test/harness/service.ts';
import { ALL, GIVES } from './all-permissions.ts';
import { anotherAdmin } from './another-admin.ts';
import type { Rights } from './oracle.ts';

type Stage = TestService & Tenant;

export interface State {
  readonly name: string;
  readonly rights: Rights;
  /** Whether `make` changes nothing in its organization except the new members and credentials that it creates. */
  readonly isHarmless?: true;
  /** Creates a credential in this state, and returns its value. */
  readonly make: (stage: Stage) => Promise<string>;
}

const NOBODY: Rights = { is: 'nobody' };
const ownership = ({ organizationId }: Stage, { owner }: Token) => ({
  organizationId,
  accountId: owner.accountId,
  actor: OPERATOR,
});

/** Creates a token of one of several Admins, and then makes something happen to it, its owner or its organization. */
const tokenAfter =
  (happens: (stage: Stage, one: Token) => Promise<unknown>) =>
  async (stage: Stage): Promise<string> => {
    await anotherAdmin(stage);
    const created = await token(stage, { permissions: ALL });
    await happens(stage, created);
    return created.value;
  };

/** Creates a token that no test changes, so that all of these tokens can share one owner. */
const tokenWith =
  (permissions = ALL, time?: string) =>
  async (stage: Stage): Promise<string> => {
    const { value } = await token(stage, { permissions, owner: await anotherAdmin(stage) });
    if (time) clock.set(time);
    return value;
  };

const leaving = (happened: string, happens: (stage: Stage, one: Token) => Promise<unknown>): State => ({
  name: `a token whose owner ${happened}`,
  rights: NOBODY,
  isHarmless: true,
  make: tokenAfter(happens),
});
const asRole = (role: Role): State =>
  leaving(`became ${role}`, (stage, one) => changeRole(stage.services, { ...ownership(stage, one), role }));
const left = (stage: Stage, { owner }: Token) =>
  leaveOrganization(stage.services, { organizationId: stage.organizationId, actor: makePerson(owner) });

const keyStates: readonly State[] = [
  {
    name: 'a Read & Write key',
    rights: { is: 'key', level: 'Read & Write' },
    isHarmless: true,
    make: async ({ keys }) => keys.readWrite,
  },
  {
    name: 'a Read Only key',
    rights: { is: 'key', level: 'Read Only' },
    isHarmless: true,
    make: async ({ keys }) => keys.readOnly,
  },
  {
    name: 'a key from before permission levels existed',
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
  { name: 'an unknown key', rights: NOBODY, isHarmless: true, make: async () => unknownKey() },
  ...Object.keys(badValues('rdn_key_x')).map((name) => ({
    name: `an invalid key (${name})`,
    rights: NOBODY,
    isHarmless: true as const,
    make: async ({ keys }: Stage) => badValues(keys.readWrite)[name] ?? '',
  })),
];

const OTHER_ROLES = ['actionsAdmin', 'member', 'guest'] as const;

const tokenStates: readonly State[] = [
  {
    name: 'a token with every permission',
    rights: { is: 'token', permissions: ALL },
    isHarmless: true,
    make: tokenWith(),
  },
  ...ALL.map(
    (permission): State => ({
      name: `a token with ${permission}`,
      rights: { is: 'token', permissions: GIVES[permission] ?? [permission] },
      isHarmless: true,
      make: tokenWith([permission]),
    }),
  ),
  {
    name: 'a token on its last day',
    rights: { is: 'token', permissions: ALL },
    isHarmless: true,
    make: tokenWith(ALL, '2026-12-02T23:59:59.999Z'),
  },
  {
    name: 'an expired token',
    rights: NOBODY,
    isHarmless: true,
    make: tokenWith(ALL, '2026-12-03T00:00:00.000Z'),
  },
  {
    name: 'a revoked token',
    rights: NOBODY,
    isHarmless: true,
    make: tokenAfter((stage, { tokenId }) =>
      revokePersonalToken(stage.services, { ...stage, tokenId, actor: OPERATOR }),
    ),
  },
  ...OTHER_ROLES.map(asRole),
  {
    name: 'a token whose owner was demoted and is Admin again',
    rights: { is: 'token', permissions: ALL },
    isHarmless: true,
    make: tokenAfter(async (stage, one) => {
      await changeRole(stage.services, { ...ownership(stage, one), role: 'guest' });
      await changeRole(stage.services, { ...ownership(stage, one), role: 'admin' });
    }),
  },
  leaving('was removed', (stage, one) => removeMember(stage.services, ownership(stage, one))),
  leaving('left', left),
  leaving('was deprovisioned', (stage, one) => deprovisionMember(stage.services, ownership(stage, one))),
  leaving('left and came back', async (stage, one) => {
    await left(stage, one);
    clock.advance(1);
    await addMember(stage.services, { ...ownership(stage, one), role: 'admin' });
  }),
  {
    name: 'a token of a deactivated organization',
    rights: NOBODY,
    make: tokenAfter((stage) => deactivateOrganization(stage.services, { ...stage, actor: OPERATOR })),
  },
  {
    name: 'a token of an organization that was deactivated by a process that died before revoking tokens',
    rights: NOBODY,
    make: tokenAfter((stage) =>
      deactivateOrganization(dyingAfter(stage.services, 1), { ...stage, actor: OPERATOR }).catch(() => {}),
    ),
  },
];

export const STATES: readonly State[] = [...keyStates, ...tokenStates];
