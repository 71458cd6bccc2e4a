import { describe, expect, test } from 'vitest';
import { makePerson, OPERATOR } from '#shared/access/actor.ts';
import { hashToken } from '#shared/access/token.ts';
import { deactivateOrganization } from '#shared/organizations/deactivate-organization.ts';
import { readOrganizationTokens } from '#shared/organizations/list-personal-tokens.ts';
import {
  addMember,
  changeRole,
  deprovisionMember,
  leaveOrganization,
  removeMember,
} from '#shared/organizations/members.ts';
import { revokePersonalToken } from '#shared/organizations/personal-tokens.ts';
import { member, type Token, token } from '#test/harness/people.ts';
import { clock, service, type Tenant, type TestService } from '#test/harness/service.ts';

type Stage = TestService & Tenant;

const projects = async ({ api }: Token) => (await api.get('/projects')).status;
const ownership = ({ organizationId }: Stage, { owner }: Token) => ({
  organizationId,
  accountId: owner.accountId,
  actor: OPERATOR,
});
const left = (stage: Stage, { owner }: Token) =>
  leaveOrganization(stage.services, { organizationId: stage.organizationId, actor: makePerson(owner) });

describe('§5.2 A personal access token', () => {
  test('A personal access token can read the projects of its organization, but of no other organization', async () => {
    const stage = await service();
    const { api, value } = await token(stage);
    expect(value).toMatch(/^rdn_pat_[0-9A-Za-z]{42}$/);
    const { status, body } = await api.get('/projects');
    expect({ status, ids: body.data.map(({ projectId }: { projectId: string }) => projectId) }).toEqual({
      status: 200,
      ids: [stage.projectId],
    });
    const other = await stage.tenant('Other');
    expect((await api.get(`/projects/${other.projectId}`)).status).toBe(404);
  });

  test('A personal access token without the needed permission gets a WWW-Authenticate challenge that names the permission', async () => {
    const stage = await service();
    const { api } = await token(stage, { permissions: ['projects:read'] });
    const { status, body, headers } = await api.get(`/projects/${stage.projectId}/runs`);
    expect({ status, body }).toEqual({
      status: 403,
      body: { status: 'FAILED', error: expect.stringContaining('permission'), code: 'insufficient_scope' },
    });
    expect(headers.get('www-authenticate')).toBe('Bearer error="insufficient_scope", scope="results:read"');
  });

  test('A personal access token with only `issues:write` can compute signatures, but cannot record runs', async () => {
    const stage = await service();
    const { api, value } = await token(stage, { permissions: ['issues:write'] });
    const title = { projectId: stage.projectId, specFilePath: 'a.spec.ts', testTitle: ['a'] };
    expect((await api.post('/signature/test', title)).status).toBe(200);
    const refused = { status: 403, body: { status: 'FAILED', code: 'api_key_required' } };
    const answer = await api.post('@/runs/v1', {});
    expect(answer).toMatchObject(refused);
    expect(answer.headers.get('www-authenticate')).toBeNull();
    expect(await stage.anonymous.post('/runs', { recordKey: value })).toMatchObject(refused);
  });

  test('A personal access token is stored as a hash with its last four characters, without its value', async () => {
    const stage = await service();
    const { value } = await token(stage);
    const [stored] = await readOrganizationTokens(stage.services, stage);
    expect(JSON.stringify(stored)).not.toContain(value.slice('rdn_pat_'.length, -4));
    expect(stored).toMatchObject({ lastFour: value.slice(-4), hash: hashToken(value) });
  });
});

describe('§5.2 The end of a personal access token', () => {
  const events: readonly (readonly [string, (stage: Stage, token: Token) => Promise<unknown>])[] = [
    [
      'its owner revokes it',
      (stage, { tokenId, owner }) =>
        revokePersonalToken(stage.services, { ...stage, tokenId, actor: makePerson(owner) }),
    ],
    [
      'another Admin revokes it',
      async (stage, { tokenId }) => {
        const admin = await member(stage, 'admin');
        await revokePersonalToken(stage.services, { ...stage, tokenId, actor: makePerson(admin) });
      },
    ],
    [
      'its owner loses the Admin role',
      (stage, one) => changeRole(stage.services, { ...ownership(stage, one), role: 'actionsAdmin' }),
    ],
    ['its owner is removed', (stage, one) => removeMember(stage.services, ownership(stage, one))],
    ['its owner leaves', left],
    ['its owner is deprovisioned', (stage, one) => deprovisionMember(stage.services, ownership(stage, one))],
    [
      'the organization is deactivated',
      (stage) => deactivateOrganization(stage.services, { ...stage, actor: OPERATOR }),
    ],
    ['its last day has passed', async () => clock.set('2026-12-03T00:00:00.000Z')],
    [
      'its owner left and came back as Admin',
      async (stage, one) => {
        await left(stage, one);
        clock.advance(1);
        await addMember(stage.services, { ...ownership(stage, one), role: 'admin' });
      },
    ],
  ];

  test.each(events)('The next request with a token is refused after %s', async (_, happens) => {
    const stage = await service();
    await member(stage, 'admin');
    const created = await token(stage);
    expect(await projects(created)).toBe(200);
    await happens(stage, created);
    expect(await projects(created)).toBe(401);
  });

  test('The refusal of a personal access token does not reveal the cause', async () => {
    const answers = new Set<string>();
    for (const [, happens] of events) {
      const stage = await service();
      await member(stage, 'admin');
      const created = await token(stage);
      await happens(stage, created);
      const { status, body, headers } = await created.api.get('/projects');
      const named = [...headers].filter(([name]) => !/^(date|x-amzn-requestid|x-amz-apigw-id)$/.test(name));
      answers.add(JSON.stringify([status, body, named]));
    }
    expect([...answers]).toHaveLength(1);
  });

  test('A token is accepted until the last millisecond of its last day', async () => {
    const created = await token(await service(), { lifetime: '30d' });
    clock.set('2026-12-02T23:59:59.999Z');
    expect(await projects(created)).toBe(200);
  });

  test('API keys of a deactivated organization are refused', async () => {
    const stage = await service();
    await deactivateOrganization(stage.services, { ...stage, actor: OPERATOR });
    expect((await stage.reader.get('/projects')).status).toBe(401);
    expect((await stage.api.post('@/runs/v1', {})).status).toBe(401);
  });
});
