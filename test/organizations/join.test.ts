import { describe, expect, test } from 'vitest';
import { hashToken } from '#shared/access/token.ts';
import { put } from '#shared/engine/table/writes.ts';
import type { Account } from '#shared/model/organizations/account.ts';
import { invitationsBySecret } from '#shared/model/organizations/invitation.ts';
import { deactivateOrganization } from '#shared/organizations/deactivate-organization.ts';
import { inviteMember, withdrawInvitation } from '#shared/organizations/invitations.ts';
import { addMember, removeMember } from '#shared/organizations/members.ts';
import { member, token } from '#test/harness/people.ts';
import { clock, service } from '#test/harness/service.ts';
import { linesOfOrganization } from '#test/harness/table-rows.ts';
import type { Stage } from './cast.ts';
import { account, by, invited, join, REFUSED, stageWithKim, WEEK } from './inviting.ts';

describe('§5 Joining an organization', () => {
  type Obstacle = (stage: Stage, kim: Account, secret: string) => Promise<readonly [Account, string]>;
  const obstacles: readonly (readonly [string, Obstacle])[] = [
    ['an unknown secret', async (_, kim) => [kim, `rdn_inv_${'x'.repeat(42)}`]],
    ['no secret', async (_, kim) => [kim, '']],
    ['a truncated secret', async (_, kim, secret) => [kim, secret.slice(0, -1)]],
    ['an account with another address', async (stage, _, secret) => [await account(stage), secret]],
    ['an unknown account', async (_, kim, secret) => [{ ...kim, accountId: 'nobody' }, secret]],
    [
      'a used invitation',
      async (stage, kim, secret) => {
        await join(stage, kim, secret);
        return [kim, secret];
      },
    ],
    [
      'a withdrawn invitation',
      async (stage, kim, secret) => {
        await withdrawInvitation(stage.services, { ...by(stage), email: kim.email });
        return [kim, secret];
      },
    ],
    [
      'a replaced invitation',
      async (stage, kim, secret) => {
        await invited(stage, kim);
        return [kim, secret];
      },
    ],
    [
      'an invitation during its replacement',
      async (stage, kim, secret) => {
        await invited(stage, kim);
        const pointer = { organizationId: stage.organizationId, email: kim.email, hash: hashToken(secret) };
        await stage.services.table.writeMany([put(invitationsBySecret, pointer)]);
        return [kim, secret];
      },
    ],
    [
      'an expired invitation',
      async (_, kim, secret) => {
        clock.advance(WEEK + 1);
        return [kim, secret];
      },
    ],
    [
      'an invitation of a removed member',
      async (stage, kim, secret) => {
        const about = { ...by(stage), accountId: kim.accountId };
        await addMember(stage.services, { ...about, role: 'member' });
        await removeMember(stage.services, about);
        return [kim, secret];
      },
    ],
    [
      'an invitation of a deactivated organization',
      async (stage, kim, secret) => {
        await deactivateOrganization(stage.services, by(stage));
        return [kim, secret];
      },
    ],
  ];

  test.each(obstacles)(
    'Joining an organization with %s always fails with the same refusal, and changes nothing',
    async (_, happens) => {
      const { stage, kim } = await stageWithKim();
      const [who, secret] = await happens(stage, kim, await invited(stage, kim));
      const before = await linesOfOrganization(stage);
      const refusal = await join(stage, who, secret).catch(({ statusCode, message, details }) => ({
        statusCode,
        message,
        details,
      }));
      expect(refusal).toEqual({ statusCode: 404, message: REFUSED, details: {} });
      expect(await linesOfOrganization(stage)).toEqual(before);
    },
  );
});

describe('§5.2 Rejoining', () => {
  test('Rejoining starts a new membership: earlier tokens stay invalid, even in the same millisecond, and new tokens work', async () => {
    const stage = await service();
    await member(stage, 'admin');
    const old = await token(stage);
    const about = { ...by(stage), accountId: old.owner.accountId };
    expect((await old.api.get('/projects')).status).toBe(200);
    await removeMember(stage.services, about);
    const { secret } = await inviteMember(stage.services, { ...about, email: old.owner.email, role: 'admin' });
    await join(stage, old.owner, secret);
    const fresh = await token(stage, { owner: old.owner });
    expect((await old.api.get('/projects')).status).toBe(401);
    expect((await fresh.api.get('/projects')).status).toBe(200);
  });
});
