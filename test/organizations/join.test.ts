import { describe, expect, test } from 'vitest';
import { hashToken } from '#shared/credentials/token.ts';
import { deactivateOrganization } from '#shared/organizations/deactivate-organization.ts';
import { invite, withdrawInvitation } from '#shared/organizations/invitations.ts';
import { addMember, removeMember } from '#shared/organizations/members.ts';
import type { Account } from '#shared/resources/account.ts';
import { invitationsBySecret } from '#shared/resources/invitation.ts';
import { put } from '#shared/table/writes.ts';
import { member, token } from '#test/harness/people.ts';
import { clock, service } from '#test/harness/service.ts';
import { linesOfOrganization } from '#test/harness/table-rows.ts';
import type { Stage } from './cast.ts';
import { account, by, invited, join, REFUSED, stageWithKim, WEEK } from './inviting.ts';

describe('§5 What keeps somebody from joining', () => {
  type Obstacle = (stage: Stage, kim: Account, secret: string) => Promise<readonly [Account, string]>;
  const obstacles: readonly (readonly [string, Obstacle])[] = [
    ['a secret that was never made', async (_, kim) => [kim, `rdn_inv_${'x'.repeat(42)}`]],
    ['no secret', async (_, kim) => [kim, '']],
    ['the secret without its last character', async (_, kim, secret) => [kim, secret.slice(0, -1)]],
    ['another address', async (stage, _, secret) => [await account(stage), secret]],
    ['an account that there is not', async (_, kim, secret) => [{ ...kim, accountId: 'nobody' }, secret]],
    [
      'that it was used',
      async (stage, kim, secret) => {
        await join(stage, kim, secret);
        return [kim, secret];
      },
    ],
    [
      'that it was withdrawn',
      async (stage, kim, secret) => {
        await withdrawInvitation(stage.services, { ...by(stage), email: kim.email });
        return [kim, secret];
      },
    ],
    [
      'that it was replaced',
      async (stage, kim, secret) => {
        await invited(stage, kim);
        return [kim, secret];
      },
    ],
    [
      'that it is being replaced at this moment',
      async (stage, kim, secret) => {
        await invited(stage, kim);
        const pointer = { organizationId: stage.organizationId, email: kim.email, hash: hashToken(secret) };
        await stage.services.table.writeMany([put(invitationsBySecret, pointer)]);
        return [kim, secret];
      },
    ],
    [
      'that it has expired',
      async (_, kim, secret) => {
        clock.advance(WEEK + 1);
        return [kim, secret];
      },
    ],
    [
      'that they were added, and removed again',
      async (stage, kim, secret) => {
        const about = { ...by(stage), accountId: kim.accountId };
        await addMember(stage.services, { ...about, role: 'member' });
        await removeMember(stage.services, about);
        return [kim, secret];
      },
    ],
    [
      'that the organization was deactivated',
      async (stage, kim, secret) => {
        await deactivateOrganization(stage.services, by(stage));
        return [kim, secret];
      },
    ],
  ];

  test.each(obstacles)('%s is told in the same words as anything else, and changes nothing', async (_, happens) => {
    const { stage, kim } = await stageWithKim();
    const [who, secret] = await happens(stage, kim, await invited(stage, kim));
    const before = await linesOfOrganization(stage);
    const told = await join(stage, who, secret).catch(({ statusCode, message, details }) => ({
      statusCode,
      message,
      details,
    }));
    expect(told).toEqual({ statusCode: 404, message: REFUSED, details: {} });
    expect(await linesOfOrganization(stage)).toEqual(before);
  });
});

describe('§5.2 Rejoining', () => {
  test('begins a new membership: tokens of the one before stay dead even in the same millisecond, and new ones hold', async () => {
    const stage = await service();
    await member(stage, 'admin');
    const old = await token(stage);
    const about = { ...by(stage), accountId: old.owner.accountId };
    expect((await old.api.get('/projects')).status).toBe(200);
    await removeMember(stage.services, about);
    const { secret } = await invite(stage.services, { ...about, email: old.owner.email, role: 'admin' });
    await join(stage, old.owner, secret);
    const fresh = await token(stage, { owner: old.owner });
    expect((await old.api.get('/projects')).status).toBe(401);
    expect((await fresh.api.get('/projects')).status).toBe(200);
  });
});
