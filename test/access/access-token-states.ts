/** §5.3 The states of an access token and its holder. */
import type { JWTPayload } from 'jose';
import { type Actor, OPERATOR } from '#shared/access/actor.ts';
import type { Role } from '#shared/model/organizations/membership.ts';
import { deactivateOrganization } from '#shared/organizations/deactivate-organization.ts';
import { addMember, changeRole, removeMember } from '#shared/organizations/members.ts';
import { claimsOf, signed } from '#test/harness/issuer.ts';
import { member } from '#test/harness/people.ts';
import { clock, type Tenant, type TestService } from '#test/harness/service.ts';
import { ALL } from './all-permissions.ts';
import { anotherAdmin } from './another-admin.ts';
import { FORGERIES } from './forgeries.ts';
import type { State } from './states.ts';

type Stage = TestService & Tenant;

const DAY_MILLISECONDS = 86_400_000;
const ROLES: readonly Role[] = ['admin', 'actionsAdmin', 'member', 'guest'];

interface Holder {
  readonly organizationId: string;
  readonly accountId: string;
  readonly actor: Actor;
}

interface Issued {
  readonly role?: Role;
  readonly scopes?: readonly string[];
  readonly claims?: () => JWTPayload;
  /** Something that happens to the holder or the organization after the token was issued. */
  readonly happens?: (stage: Stage, holder: Holder) => Promise<unknown>;
}

const issued =
  ({ role = 'admin', scopes = ALL, claims = () => ({}), happens }: Issued) =>
  async (stage: Stage): Promise<string> => {
    const admin = await anotherAdmin(stage);
    const isAnyAdmin = role === 'admin' && happens === undefined;
    const { accountId } = isAnyAdmin ? admin : await member(stage, role);
    // The clock advances, because a valid token must be newer than the membership.
    clock.advance(DAY_MILLISECONDS);
    const more = { scope: scopes.join(' '), ...claims() };
    const value = await signed(claimsOf(stage.issuer, stage, accountId, more), stage.issuer.key);
    await happens?.(stage, { organizationId: stage.organizationId, accountId, actor: OPERATOR });
    return value;
  };

const good = (name: string, scopes: readonly string[], role: Role, how: Issued): State => ({
  name: `an access token ${name}`,
  rights: { is: 'accessToken', scopes, role },
  isHarmless: true,
  make: issued({ scopes, role, ...how }),
});

const dead = (name: string, how: Issued): State => ({
  name: `an access token ${name}`,
  rights: { is: 'nobody' },
  isHarmless: true,
  make: issued(how),
});

const seconds = (): number => Math.floor(Date.now() / 1000);

export const ACCESS_TOKEN_STATES: readonly State[] = [
  ...ROLES.map((role) => good(`of the role ${role} with every scope except shares:write`, ALL, role, {})),
  ...ALL.map((scope) => good(`of an Admin with ${scope} only`, [scope], 'admin', {})),
  good('with unknown scopes', ['openid', 'offline_access', 'everything'], 'admin', {}),
  good('that expired 59 seconds ago, within the clock tolerance', ALL, 'admin', {
    claims: () => ({ iat: seconds() - 3000, exp: seconds() - 59 }),
  }),
  good('that starts in 60 seconds, within the clock tolerance', ALL, 'admin', {
    claims: () => ({ iat: seconds() + 60, nbf: seconds() + 60 }),
  }),
  {
    ...good('whose holder became a guest', ALL, 'guest', {}),
    make: issued({ happens: ({ services }, holder) => changeRole(services, { ...holder, role: 'guest' }) }),
  },
  {
    ...good('whose holder became an Admin', ALL, 'admin', {}),
    make: issued({
      role: 'guest',
      happens: ({ services }, holder) => changeRole(services, { ...holder, role: 'admin' }),
    }),
  },
  dead('whose holder was removed', {
    happens: ({ services }, holder) => removeMember(services, holder),
  }),
  dead('whose holder left and came back', {
    happens: async ({ services }, holder) => {
      await removeMember(services, holder);
      clock.advance(1000);
      await addMember(services, { ...holder, role: 'admin' });
    },
  }),
  {
    name: 'an access token of a deactivated organization',
    rights: { is: 'nobody' },
    make: issued({ happens: ({ services }, holder) => deactivateOrganization(services, holder) }),
  },
  ...FORGERIES.map(({ name, make }): State => ({ name, rights: { is: 'nobody' }, isHarmless: true, make })),
];
