import { describe, expect, test } from 'vitest';
import { makePerson, OPERATOR } from '#shared/access/actor.ts';
import { auditRecords, getAuditSpan } from '#shared/model/organizations/audit-record.ts';
import { deactivateOrganization } from '#shared/organizations/deactivate-organization.ts';
import { listPersonalTokens } from '#shared/organizations/list-personal-tokens.ts';
import {
  addMember,
  changeRole,
  deprovisionMember,
  leaveOrganization,
  removeMember,
} from '#shared/organizations/members.ts';
import { revokePersonalToken } from '#shared/organizations/personal-tokens.ts';
import { dyingAfter } from '#test/harness/interrupted-table.ts';
import { member, type Token, token } from '#test/harness/people.ts';
import { clock, logLines, service, type Tenant, type TestService } from '#test/harness/service.ts';
import { linesOfOrganization } from '#test/harness/table-rows.ts';

type Stage = TestService & Tenant;
type Event = readonly [string, (stage: Stage, one: Token) => Promise<unknown>];

const HOUR = 60 * 60 * 1000;
const cleanUp = ({ runSchedule }: Stage) => runSchedule('cleanUpTokens');
const status = async ({ api }: Token) => (await api.get('/projects')).status;
const owned = ({ organizationId }: Stage, { owner }: Token) => ({
  organizationId,
  accountId: owner.accountId,
  actor: OPERATOR,
});
const leave = ({ services, organizationId }: Stage, { owner }: Token) =>
  leaveOrganization(services, { organizationId, actor: makePerson(owner) });

const listed = async ({ services, organizationId }: Stage, { tokenId }: Token) => {
  const all = await listPersonalTokens(services, { organizationId, actor: OPERATOR });
  const found = all.find((one) => one.tokenId === tokenId);
  return found && { state: found.state, revokedAt: found.revokedAt };
};

const revocations = async ({ services, organizationId }: Stage, { tokenId }: Token) => {
  const records = await services.table.queryAll(auditRecords, getAuditSpan({ organizationId }), { consistent: true });
  const ofToken = records.filter(({ action, subject }) => action === 'token revoked' && subject === tokenId);
  return ofToken.map(({ actor, at, detail }) => ({ actor, at, detail }));
};

/** Creates an hour-old token that belongs to one of two Admins. */
async function stageWithToken() {
  const stage = await service();
  await member(stage, 'admin');
  const created = await token(stage);
  clock.advance(HOUR);
  return { stage, one: created };
}

const DEAD: readonly (readonly [...Event, string])[] = [
  [
    'owner was removed',
    (stage, one) => removeMember(stage.services, owned(stage, one)),
    'its owner is no longer a member',
  ],
  ['owner left', leave, 'its owner is no longer a member'],
  [
    'owner was deprovisioned by a process that crashed before it revoked tokens',
    (stage, one) =>
      expect(deprovisionMember(dyingAfter(stage.services, 1), owned(stage, one))).rejects.toThrow('has died'),
    'its owner is no longer a member',
  ],
  [
    'owner left and rejoined as Admin',
    async (stage, one) => {
      await leave(stage, one);
      await addMember(stage.services, { ...owned(stage, one), role: 'admin' });
    },
    'its owner rejoined after it was created',
  ],
  [
    'organization was deactivated by a process that crashed before it revoked tokens',
    (stage) =>
      expect(deactivateOrganization(dyingAfter(stage.services, 1), { ...stage, actor: OPERATOR })).rejects.toThrow(
        'has died',
      ),
    'its organization was deactivated',
  ],
  [
    'last day passed and its owner left',
    async (stage, one) => {
      clock.set('2026-12-10T00:00:00.000Z');
      await leave(stage, one);
    },
    'its owner is no longer a member',
  ],
];

describe('§5.2 The token clean-up', () => {
  test.each(DEAD)('The clean-up revokes a token, with one audit record, if its %s', async (_, happens, why) => {
    const { stage, one } = await stageWithToken();
    await happens(stage, one);
    expect(await listed(stage, one)).not.toMatchObject({ state: 'revoked' });
    expect(await status(one)).toBe(401);
    clock.advance(HOUR);
    const now = Date.now();
    expect(await cleanUp(stage)).toMatchObject({ revoked: 1, finished: true });
    expect(await listed(stage, one)).toEqual({ state: 'revoked', revokedAt: now });
    expect(await revocations(stage, one)).toEqual([{ actor: 'clean-up', at: now, detail: `laptop: ${why}` }]);
    expect(await status(one)).toBe(401);
  });

  test('The clean-up revokes tokens for good: an owner who returns does not get them back', async () => {
    const { stage, one } = await stageWithToken();
    await leave(stage, one);
    await cleanUp(stage);
    await addMember(stage.services, { ...owned(stage, one), role: 'admin' });
    const newer = await token(stage, { owner: one.owner });
    expect([await status(one), await status(newer)]).toEqual([401, 200]);
    expect(await cleanUp(stage)).toMatchObject({ revoked: 0 });
    expect(await status(newer)).toBe(200);
  });
});

const UNTOUCHED: readonly Event[] = [
  ['that is live', async () => {}],
  [
    'whose owner lost the Admin role',
    (stage, one) => changeRole(stage.services, { ...owned(stage, one), role: 'guest' }),
  ],
  ['whose last day passed', async () => clock.set('2026-12-10T00:00:00.000Z')],
  [
    'that its owner had already revoked',
    async (stage, one) => {
      await revokePersonalToken(stage.services, { ...stage, tokenId: one.tokenId, actor: makePerson(one.owner) });
      clock.advance(HOUR);
    },
  ],
  [
    'that its owner revoked before leaving',
    async (stage, one) => {
      await revokePersonalToken(stage.services, { ...stage, tokenId: one.tokenId, actor: makePerson(one.owner) });
      await leave(stage, one);
      clock.advance(HOUR);
    },
  ],
  [
    'that was revoked with its organization',
    async (stage) => {
      await deactivateOrganization(stage.services, { ...stage, actor: OPERATOR });
      clock.advance(HOUR);
    },
  ],
];

describe('§5.2 What the token clean-up leaves unchanged', () => {
  test.each(UNTOUCHED)('The clean-up does not change a token %s', async (_, happens) => {
    const { stage, one } = await stageWithToken();
    await happens(stage, one);
    const answer = await status(one);
    const rows = await linesOfOrganization(stage);
    expect(await cleanUp(stage)).toMatchObject({ revoked: 0, finished: true });
    expect(await linesOfOrganization(stage)).toEqual(rows);
    expect(await status(one)).toBe(answer);
  });

  test('A clean-up that revokes a token changes no organization other than that of the token', async () => {
    const { stage, one } = await stageWithToken();
    const other = { ...stage, ...(await stage.tenant('Other')) };
    await token(other);
    const rows = await linesOfOrganization(other);
    await leave(stage, one);
    expect(await cleanUp(stage)).toMatchObject({ revoked: 1 });
    expect(await linesOfOrganization(other)).toEqual(rows);
  });
});

describe('The log line of a clean-up run', () => {
  test('contains counts and costs, but neither a token nor an email address', async () => {
    const { stage, one } = await stageWithToken();
    await leave(stage, one);
    logLines.length = 0;
    const report = await cleanUp(stage);
    const [line, ...others] = logLines.filter((text) => text.includes('"cleanUpTokens"'));
    expect(others).toEqual([]);
    expect(JSON.parse(line ?? '')).toEqual({
      message: 'run',
      schedule: 'cleanUpTokens',
      correlationId: expect.any(String),
      scheduledTime: '2026-11-02T11:00:00Z',
      ...Object(report),
      readUnits: expect.any(Number),
      writeUnits: 4,
      trips: expect.any(Number),
    });
    expect(report).toMatchObject({ revoked: 1, tokens: expect.any(Number), organizations: expect.any(Number) });
    expect(line).not.toContain(one.owner.email);
    expect(line).not.toContain(one.value.slice(-10));
  });
});
