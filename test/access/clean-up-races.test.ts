import { describe, expect, test } from 'vitest';
import { makePerson, OPERATOR } from '#shared/access/actor.ts';
import { revokeDeadTokens } from '#shared/organizations/dead-tokens.ts';
import { addMember, leaveOrganization } from '#shared/organizations/members.ts';
import { interruptedAt } from '#test/harness/interrupted-table.ts';
import { member, type Token, token } from '#test/harness/people.ts';
import { service, type Tenant, type TestService } from '#test/harness/service.ts';

type Stage = TestService & Tenant;

const leave = ({ services, organizationId }: Stage, { owner }: Token) =>
  leaveOrganization(services, { organizationId, actor: makePerson(owner) });
const rejoin = ({ services, organizationId }: Stage, { owner: { accountId } }: Token) =>
  addMember(services, { organizationId, accountId, role: 'admin', actor: OPERATOR });
const status = async ({ api }: Token) => (await api.get('/projects')).status;

/**
 * Runs a scenario with the numbers 0, 1, 2 and so on. The scenario interrupts the clean-up before the table call with
 * this number. Stops as soon as the clean-up makes no call with the number, and returns the number of calls.
 */
async function beforeEachCall(scene: (call: number) => Promise<{ readonly happened: boolean }>): Promise<number> {
  for (let call = 0; ; call += 1) if (!(await scene(call)).happened) return call;
}

describe('§5.2 Changes of members during a clean-up', () => {
  test('An owner who rejoins during a clean-up and creates a new token keeps only the new token', async () => {
    const calls = await beforeEachCall(async (call) => {
      const stage = await service();
      await member(stage, 'admin');
      const before = await token(stage);
      await leave(stage, before);
      const after: Token[] = [];
      const { services, happened } = interruptedAt(stage.services, call, async () => {
        await rejoin(stage, before);
        after.push(await token(stage, { owner: before.owner }));
      });
      expect(await revokeDeadTokens(services, stage)).toBe(1);
      expect(await Promise.all([before, ...after].map(status)), `before call ${call}`).toEqual(
        happened() ? [401, 200] : [401],
      );
      return { happened: happened() };
    });
    expect(calls).toBeGreaterThanOrEqual(5);
  });

  test('If the owner of a token leaves during a clean-up, the token is revoked exactly once, by this clean-up or the next one', async () => {
    const calls = await beforeEachCall(async (call) => {
      const stage = await service();
      await member(stage, 'admin');
      const created = await token(stage);
      const { services, happened } = interruptedAt(stage.services, call, () => leave(stage, created));
      const revoked = await revokeDeadTokens(services, stage);
      const next = await revokeDeadTokens(stage.services, stage);
      expect(revoked + next, `before call ${call}`).toBe(happened() ? 1 : 0);
      expect(await status(created)).toBe(happened() ? 401 : 200);
      return { happened: happened() };
    });
    expect(calls).toBeGreaterThanOrEqual(4);
  });
});

describe('§5.2 A clean-up under load', () => {
  test('Requests with a live token succeed while clean-ups run and other tokens are created and revoked', async () => {
    const stage = await service();
    await member(stage, 'admin');
    const live = await token(stage);
    const answers: number[] = [];
    const traffic = Array.from({ length: 4 }, async () => {
      for (let request = 0; request < 15; request += 1) answers.push(await status(live));
    });
    const cleaning = async () => {
      for (let round = 0; round < 6; round += 1) {
        const other = await token(stage);
        await Promise.all([leave(stage, other), revokeDeadTokens(stage.services, stage)]);
      }
    };
    await Promise.all([...traffic, cleaning(), cleaning()]);
    expect(answers).toHaveLength(60);
    expect(new Set(answers)).toEqual(new Set([200]));
    await revokeDeadTokens(stage.services, stage);
    expect(await revokeDeadTokens(stage.services, stage)).toBe(0);
  });
});
