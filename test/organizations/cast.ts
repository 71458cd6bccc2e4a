/** An organization with an actor of each role, and a target for every action. */

import { makePerson, OPERATOR, type Person } from '#shared/access/actor.ts';
import { ROLES, type Role } from '#shared/model/organizations/membership.ts';
import { createAccount } from '#shared/organizations/create-account.ts';
import { createApiKey } from '#shared/organizations/create-api-key.ts';
import { inviteMember } from '#shared/organizations/invitations.ts';
import { addMember, changeRole } from '#shared/organizations/members.ts';
import { member, token } from '#test/harness/people.ts';
import { service, type Tenant, type TestService } from '#test/harness/service.ts';

export type Stage = TestService & Tenant;

interface Character extends Person {
  readonly email: string;
  /** A personal token that was created while its owner was an Admin. */
  readonly tokenId: string;
}

export interface Cast {
  readonly stage: Stage;
  readonly organizationId: string;
  readonly projectId: string;
  readonly keyId: string;
  readonly invited: string;
  /** The member whom the other members try to change. */
  readonly subject: Character;
  /** One member of each requested role. The organization has a second Admin, so the member `admin` may leave. */
  readonly of: Readonly<Record<Role, Character>>;
  /** The id of the personal token of a member. */
  readonly tokenOf: (account: Person) => string;
  /** An account without an organization. */
  readonly newcomer: Person;
  /** All values of keys and tokens, and all secrets of invitations, that the service has returned so far. */
  readonly shown: string[];
}

const address = (): string => `${crypto.randomUUID()}@example.com`;
const accountOf = async ({ services }: Stage) => createAccount(services, { email: address(), name: 'Kim Roe' });

/** Creates an Admin of another organization. */
export async function stranger(stage: Stage): Promise<Person> {
  const account = await accountOf(stage);
  const { organizationId } = await stage.tenant('Elsewhere');
  const { accountId } = account;
  await addMember(stage.services, { organizationId, accountId, role: 'admin', actor: OPERATOR });
  return makePerson(account);
}

/** Creates the cast. Pass only the roles that a test needs, because creating a member takes a dozen table calls. */
export async function cast(roles: readonly Role[] = ROLES): Promise<Cast> {
  const stage = await service();
  const { services, organizationId, projectId, keys } = stage;
  const shown: string[] = [keys.readOnly, keys.readWrite];
  const character = async (role: Role): Promise<Character> => {
    const account = await member(stage, 'admin');
    const { tokenId, value } = await token(stage, { owner: account });
    shown.push(value);
    const { accountId, email } = account;
    await changeRole(services, { organizationId, accountId, role, actor: OPERATOR });
    return { ...makePerson(account), email, tokenId };
  };
  await member(stage, 'admin');
  const played = new Map<Role, Character>();
  for (const role of roles) played.set(role, await character(role));
  const by = { organizationId, actor: OPERATOR };
  const subject = await character('member');
  const key = await createApiKey(services, { ...by, label: 'CI', level: 'readOnly' });
  const invitation = await inviteMember(services, { ...by, email: address(), role: 'guest' });
  shown.push(key.value, invitation.secret);
  const newcomer = makePerson(await accountOf(stage));
  const { keyId } = key;
  return {
    stage,
    organizationId,
    projectId,
    keyId,
    subject,
    shown,
    newcomer,
    of: membersOf(played),
    tokenOf: ({ accountId }) =>
      [...played.values()].find((one) => one.accountId === accountId)?.tokenId ?? subject.tokenId,
    invited: invitation.email,
  };
}

function membersOf(played: ReadonlyMap<Role, Character>): Cast['of'] {
  const characterOf = (role: Role): Character => {
    const found = played.get(role);
    if (!found) throw new Error(`This cast has no ${role}. Pass this role to cast()`);
    return found;
  };
  return {
    get admin() {
      return characterOf('admin');
    },
    get actionsAdmin() {
      return characterOf('actionsAdmin');
    },
    get member() {
      return characterOf('member');
    },
    get guest() {
      return characterOf('guest');
    },
  };
}
