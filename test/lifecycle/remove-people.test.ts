/** §5 People lose their account when their last organization is removed, and keep it if they belong to another one. */
import { describe, expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { removePeople } from '#shared/lifecycle/remove-people.ts';
import { accounts } from '#shared/model/organizations/account.ts';
import { getMembershipsSpan, membershipsOfAccount } from '#shared/model/organizations/membership.ts';
import { addMember } from '#shared/organizations/members.ts';
import { interruptedAt } from '#test/harness/interrupted-table.ts';
import { member } from '#test/harness/people.ts';
import { service } from '#test/harness/service.ts';

const TIME = { remainingMilliseconds: () => 60_000 };
const refused = () => false;
const done = () => true;

/** An organization that is about to be removed, with one member, and another organization. */
async function stage() {
  const here = await service();
  const person = await member(here, 'admin');
  const { organizationId: elsewhere } = await here.tenant('Elsewhere');
  const join = () => addMember(here.services, { ...person, organizationId: elsewhere, role: 'admin', actor: OPERATOR });
  const left = async () => {
    const consistent = { consistent: true };
    const account = await here.services.table.get(accounts, person, consistent);
    const belongsTo = await here.services.table.queryAll(membershipsOfAccount, getMembershipsSpan(person), consistent);
    return {
      account: account?.accountId,
      isLeaving: account?.leaving !== undefined,
      belongsTo: belongsTo.map(({ organizationId }) => organizationId),
    };
  };
  return { ...here, person, elsewhere, join, left };
}

describe('The removal of the people of an organization', () => {
  test('A person who joins another organization while their only organization is removed either becomes a member and keeps the account, or is refused and loses it', async () => {
    const outcomes = new Set<boolean>();
    for (let call = 0, isOver = false; !isOver; call += 1) {
      const { services, organizationId, person, elsewhere, join, left } = await stage();
      let hasJoined = false;
      const removal = interruptedAt(services, call, async () => {
        hasJoined = await join().then(done, refused);
      });
      await removePeople(removal.services, { organizationId }, TIME);
      isOver = !removal.happened();
      if (isOver) continue;
      outcomes.add(hasJoined);
      expect({ call, ...(await left()) }).toEqual({
        call,
        account: hasJoined ? person.accountId : undefined,
        isLeaving: false,
        belongsTo: hasJoined ? [elsewhere] : [],
      });
    }
    expect(outcomes).toEqual(new Set([true, false]));
  });

  test('A person who is a member of two organizations that are removed at the same time loses the account', async () => {
    const { services, organizationId, elsewhere, join, left } = await stage();
    await join();
    await Promise.all(
      [organizationId, elsewhere].map((removed) => removePeople(services, { organizationId: removed }, TIME)),
    );
    expect(await left()).toEqual({ account: undefined, isLeaving: false, belongsTo: [] });
  });
});
