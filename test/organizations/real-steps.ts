/** Runs the random steps of verbs-property.test.ts on the service. */

import { type Actor, makePerson, OPERATOR } from '#shared/access/actor.ts';
import type { Account } from '#shared/model/organizations/account.ts';
import { createAccount } from '#shared/organizations/create-account.ts';
import { createApiKey } from '#shared/organizations/create-api-key.ts';
import { deactivateOrganization } from '#shared/organizations/deactivate-organization.ts';
import { deleteApiKey } from '#shared/organizations/delete-api-key.ts';
import { inviteMember, withdrawInvitation } from '#shared/organizations/invitations.ts';
import { joinOrganization } from '#shared/organizations/join-organization.ts';
import {
  addMember,
  changeRole,
  deprovisionMember,
  leaveOrganization,
  removeMember,
} from '#shared/organizations/members.ts';
import { createPersonalToken, revokePersonalToken } from '#shared/organizations/personal-tokens.ts';
import { clock, service } from '#test/harness/service.ts';
import type { Stage } from './cast.ts';
import type { By, Model, Outcome, Step } from './model.ts';

const DAY = 24 * 60 * 60 * 1000;

/** The accounts, secrets, keys and tokens of the service to which the model refers by number. */
export interface Reality {
  readonly stage: Stage;
  readonly people: readonly Account[];
  readonly secrets: string[];
  readonly keyIds: string[];
  readonly tokens: { readonly tokenId: string; readonly value: string }[];
}

export async function reality(people: number): Promise<Reality> {
  const stage = await service();
  const accounts: Account[] = [];
  for (let number = 0; number < people; number += 1) {
    accounts.push(await createAccount(stage.services, { email: `${crypto.randomUUID()}@example.com`, name: 'Kim' }));
  }
  return { stage, people: accounts, secrets: [], keyIds: [], tokens: [] };
}

const OUTCOMES: readonly (readonly [RegExp, Outcome])[] = [
  [/^Organization not found$/, 'no member'],
  [/^This organization is deactivated/, 'over'],
  [/^Only (an Admin|the operator)/, 'not this role'],
  [/^Invitation not found for this email address/, 'no invitation'],
  [/ not found$/, 'not there'],
  [/ already exists\. /, 'there already'],
  [/^This is the last Admin/, 'last Admin'],
];

/** Executes the step, and returns its outcome. Throws any error that is not an expected refusal. */
export async function take(on: Reality, model: Model, step: Step): Promise<Outcome> {
  if (step.do === 'wait') {
    clock.advance(step.days * DAY);
    return 'done';
  }
  try {
    await act(on, model, step);
    return 'done';
  } catch (error) {
    const known = OUTCOMES.find(([words]) => error instanceof Error && words.test(error.message));
    if (!known) throw error;
    return known[1];
  }
}

async function act(on: Reality, model: Model, step: Exclude<Step, { do: 'wait' }>): Promise<unknown> {
  const { services, organizationId } = on.stage;
  const scope = { organizationId, actor: actorOf(on, step.by) };
  switch (step.do) {
    case 'add':
      return addMember(services, { ...scope, ...about(on, step.who), role: step.role });
    case 'invite':
      return on.secrets.push(
        (await inviteMember(services, { ...scope, ...about(on, step.who), role: step.role })).secret,
      );
    case 'withdraw':
      return withdrawInvitation(services, { ...scope, ...about(on, step.who) });
    case 'join':
      return joinOrganization(services, { actor: self(on, step.by), secret: on.secrets[model.triedBy(step)] ?? '' });
    case 'role':
      return changeRole(services, { ...scope, ...about(on, step.who), role: step.role });
    case 'leave':
      return leaveOrganization(services, { organizationId, actor: self(on, step.by) });
    case 'remove':
      return removeMember(services, { ...scope, ...about(on, step.who) });
    case 'deprovision':
      return deprovisionMember(services, { ...scope, ...about(on, step.who) });
    case 'create key':
      return on.keyIds.push((await createApiKey(services, { ...scope, label: 'CI', level: 'readOnly' })).keyId);
    case 'delete key':
      return deleteApiKey(services, { ...scope, keyId: on.keyIds[step.nth] ?? 'none' });
    case 'create token':
      return on.tokens.push(await tokenOf(on, step.by));
    case 'revoke':
      return revokePersonalToken(services, { ...scope, tokenId: on.tokens[step.nth]?.tokenId ?? 'none' });
    case 'deactivate':
      return deactivateOrganization(services, scope);
  }
}

const about = ({ people }: Reality, who: number): Account => people[who] ?? raise(who);
const self = (on: Reality, who: number) => makePerson(about(on, who));
const actorOf = (on: Reality, by: By): Actor => (by === 'operator' ? OPERATOR : self(on, by));
const raise = (who: number): never => {
  throw new Error(`There is no person with the number ${who}`);
};
const tokenOf = (on: Reality, owner: number) =>
  createPersonalToken(on.stage.services, {
    organizationId: on.stage.organizationId,
    actor: self(on, owner),
    name: 'Script',
    permissions: ['projects:read'],
    lifetime: '1y',
  });
