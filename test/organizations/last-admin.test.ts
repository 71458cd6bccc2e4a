import { describe, expect, test } from 'vitest';
import { makePerson, OPERATOR, type Person } from '#shared/access/actor.ts';
import { organizations } from '#shared/model/organizations/organization.ts';
import { changeRole, leaveOrganization, listMembers, removeMember } from '#shared/organizations/members.ts';
import { cases } from '#test/harness/cases.ts';
import { member } from '#test/harness/people.ts';
import { service } from '#test/harness/service.ts';
import type { Stage } from './cast.ts';

/** How many times the two changes of each pair are made at the same time. */
const ROUNDS = Math.min(cases(12, 2), 100);

type Move = (stage: Stage, one: Person, other: Person) => Promise<unknown>;
const demotes: Move = ({ services, organizationId }, actor, { accountId }) =>
  changeRole(services, { organizationId, accountId, role: 'member', actor });
const removes: Move = ({ services, organizationId }, actor, { accountId }) =>
  removeMember(services, { organizationId, accountId, actor });
const leaves: Move = ({ services, organizationId }, actor) => leaveOrganization(services, { organizationId, actor });

const admins = async (stage: Stage, count: number): Promise<Person[]> => {
  const people: Person[] = [];
  while (people.length < count) people.push(makePerson(await member(stage, 'admin')));
  return people;
};

/** Returns the number of Admins according to the memberships, and according to the counter of the organization. */
async function adminsLeft({ services, organizationId }: Stage): Promise<readonly [number, number | undefined]> {
  const members = await listMembers(services, { organizationId, actor: OPERATOR });
  const counted = await services.table.get(organizations, { organizationId }, { consistent: true });
  return [members.filter(({ role }) => role === 'admin').length, counted?.admins];
}

async function round(one: Move, other: Move): Promise<string[]> {
  const stage = await service();
  const [alex, kim] = await admins(stage, 2);
  if (!alex || !kim) throw new Error('Expected two Admins');
  const outcomes = await Promise.allSettled([one(stage, alex, kim), other(stage, kim, alex)]);
  expect(await adminsLeft(stage)).toEqual([1, 1]);
  return outcomes.map((outcome) => (outcome.status === 'fulfilled' ? 'done' : outcome.reason.message)).sort();
}

const ADMIN_ONLY = 'Only an Admin of the organization can do this. Ask an Admin to do it';
const NO_MEMBER = 'Organization not found';
const LAST = 'This is the last Admin of the organization. Make another member an Admin first';

describe('§5 The last Admin under concurrent changes', () => {
  test.each([
    ['demote each other', demotes, demotes, [ADMIN_ONLY]],
    ['remove each other', removes, removes, [NO_MEMBER]],
    ['leave', leaves, leaves, [LAST]],
    ['demote and remove each other', demotes, removes, [ADMIN_ONLY, NO_MEMBER]],
  ])(
    'If two Admins %s at the same time, exactly one of the two changes succeeds, and one Admin stays',
    async (_, one, other, refusals) => {
      for (let number = 0; number < ROUNDS; number += 1) {
        const [refused, done] = (await round(one, other)).sort((a) => (a === 'done' ? 1 : -1));
        expect(done).toBe('done');
        expect(refusals).toContain(refused);
      }
    },
  );

  test.each([
    ['is demoted while leaving', demotes],
    ['is removed while leaving', removes],
  ])('If one of two Admins %s, exactly one Admin remains', async (_, move) => {
    for (let number = 0; number < ROUNDS; number += 1) expect(await round(move, leaves)).toContain('done');
  });
});

test('§5 If all five Admins leave at the same time, only four of them succeed', async () => {
  const stage = await service();
  const all = await admins(stage, 5);
  const outcomes = await Promise.allSettled(all.map((actor) => leaves(stage, actor, actor)));
  expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(4);
  expect(await adminsLeft(stage)).toEqual([1, 1]);
});
