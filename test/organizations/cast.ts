/** An organization with an actor of each role and a target for every action. */

import { OPERATOR, type Person, person } from '#shared/access/actor.ts';
import type { Role } from '#shared/model/membership.ts';
import { createAccount } from '#shared/organizations/create-account.ts';
import { createApiKey } from '#shared/organizations/create-api-key.ts';
import { invite } from '#shared/organizations/invitations.ts';
import { addMember, changeRole } from '#shared/organizations/members.ts';
import { member, token } from '#test/harness/people.ts';
import { service, type Tenant, type TestService } from '#test/harness/service.ts';

export type Stage = TestService & Tenant;

interface Character extends Person {
  readonly email: string;
  /** A token from the time when its owner was an Admin. */
  readonly tokenId: string;
}

export interface Cast {
  readonly stage: Stage;
  readonly organizationId: string;
  readonly projectId: string;
  readonly keyId: string;
  readonly invited: string;
  /** The member that the others change. */
  readonly subject: Character;
  /** One member of each role. `admin` is not the last Admin. */
  readonly of: Readonly<Record<Role, Character>>;
  /** An Admin of another organization. */
  readonly stranger: Person;
  /** An account without an organization. */
  readonly newcomer: Person;
  /** All values and secrets that were returned so far. */
  readonly shown: string[];
}

const address = (): string => `${crypto.randomUUID()}@example.com`;
const accountOf = async ({ services }: Stage) => createAccount(services, { email: address(), name: 'Kim Roe' });

export async function cast(): Promise<Cast> {
  const stage = await service();
  const { services, organizationId, projectId, keys } = stage;
  const shown: string[] = [keys.readOnly, keys.readWrite];
  const character = async (role: Role): Promise<Character> => {
    const account = await member(stage, 'admin');
    const { tokenId, value } = await token(stage, { owner: account });
    shown.push(value);
    const { accountId, email } = account;
    await changeRole(services, { organizationId, accountId, role, actor: OPERATOR });
    return { ...person(account), email, tokenId };
  };
  await member(stage, 'admin');
  const of = {
    admin: await character('admin'),
    actionsAdmin: await character('actionsAdmin'),
    member: await character('member'),
    guest: await character('guest'),
  };
  const by = { organizationId, actor: OPERATOR };
  const subject = await character('member');
  const key = await createApiKey(services, { ...by, label: 'CI', level: 'readOnly' });
  const invitation = await invite(services, { ...by, email: address(), role: 'guest' });
  shown.push(key.value, invitation.secret);
  const stranger = await accountOf(stage);
  const elsewhere = (await stage.tenant('Elsewhere')).organizationId;
  await addMember(services, { ...by, organizationId: elsewhere, accountId: stranger.accountId, role: 'admin' });
  const newcomer = person(await accountOf(stage));
  const { keyId } = key;
  return {
    ...{ stage, organizationId, projectId, keyId, subject, of, shown, newcomer },
    invited: invitation.email,
    stranger: person(stranger),
  };
}
