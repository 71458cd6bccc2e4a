import { describe, expect, test } from 'vitest';
import { makePerson, OPERATOR } from '#shared/access/actor.ts';
import { auditRecords, getAuditSpan } from '#shared/model/organizations/audit-record.ts';
import { ROLES } from '#shared/model/organizations/membership.ts';
import { createAccount } from '#shared/organizations/create-account.ts';
import { createOrganization } from '#shared/organizations/create-organization.ts';
import { deactivateOrganization } from '#shared/organizations/deactivate-organization.ts';
import { inviteMember } from '#shared/organizations/invitations.ts';
import { joinOrganization } from '#shared/organizations/join-organization.ts';
import { changeRole } from '#shared/organizations/members.ts';
import { revokePersonalToken } from '#shared/organizations/personal-tokens.ts';
import { changeProjectSettings } from '#shared/organizations/project-settings.ts';
import { readAudit } from '#shared/organizations/read-audit.ts';
import { whoMay } from '#test/access/oracle.ts';
import { sampled } from '#test/harness/cases.ts';
import { clock, service } from '#test/harness/service.ts';
import { linesOfOrganization } from '#test/harness/table-rows.ts';
import { cast, type Stage } from './cast.ts';
import { CHANGES } from './verbs.ts';

const HOUR = 3_600_000;
const recordsOf = ({ services, organizationId }: Stage) =>
  services.table.queryAll(auditRecords, getAuditSpan({ organizationId }), { consistent: true });

/** Returns the secrets in the result of an operation. */
const shownBy = (result: unknown): string[] =>
  Object.entries(Object(result)).flatMap(([name, value]) => (/^(value|secret)$/.test(name) ? [String(value)] : []));

const matching = (expected: string | RegExp) =>
  typeof expected === 'string' ? expected : expect.stringMatching(expected);

/** `npm test` tries half of the actors of each change, and at least one, so that the sample reaches every actor. */
const triedBy = (able: readonly string[], index: number): readonly string[] =>
  able.length === 1 ? able : sampled(able, 2, index);

const roleOf = (who: string) => ROLES.find((known) => known === who);

describe('§5 An audit record', () => {
  test.each(CHANGES.map((verb, index) => [verb.name, verb, index] as const))(
    'An audit record of %s has the actor, the time and the subject, but no secret',
    async (_, verb, index) => {
      for (const who of triedBy(whoMay(verb.action), index)) {
        const role = roleOf(who);
        const on = await cast(role ? [role] : []);
        const actor = role ? makePerson(on.of[role]) : OPERATOR;
        clock.advance(HOUR);
        const shown = [...on.shown, ...shownBy(await verb.act(on, actor))];
        const records = await recordsOf(on.stage);
        const [action = '', subject = '', detail = ''] = verb.record?.(on, actor) ?? [];
        expect(records.filter(({ at, actor: by }) => at === Date.now() && by !== 'clean-up')).toMatchObject([
          {
            organizationId: on.organizationId,
            actor: 'accountId' in actor ? `user:${actor.accountId}` : 'operator',
            action,
            subject: matching(subject),
            detail: matching(detail),
          },
        ]);
        const text = JSON.stringify(records);
        for (const secret of shown) expect(text).not.toContain(secret.slice('rdn_xxx_'.length, -4));
      }
    },
  );

  test('Audit records show who created an organization, who was invited and who joined', async () => {
    const { stage, newcomer } = await cast([]);
    const { services } = stage;
    const { organizationId, name } = await createOrganization(services, { name: ' Shop ', actor: newcomer });
    clock.advance(1);
    const email = `${crypto.randomUUID()}@example.com`;
    const invitation = await inviteMember(services, { organizationId, actor: newcomer, email, role: 'member' });
    clock.advance(1);
    const account = await createAccount(services, { email, name: 'Sam' });
    await joinOrganization(services, { actor: makePerson(account), secret: invitation.secret });
    const records = await recordsOf({ ...stage, organizationId });
    expect(records.map(({ actor, action, subject, detail }) => [actor, action, subject, detail])).toEqual([
      [`user:${newcomer.accountId}`, 'organization created', organizationId, name],
      [`user:${newcomer.accountId}`, 'member invited', email, 'member'],
      [`user:${account.accountId}`, 'member joined', account.accountId, 'member'],
    ]);
    expect(name).toBe('Shop');
  });

  test('There is no audit record for a request that changes nothing', async () => {
    const { stage, organizationId, projectId, of } = await cast(['guest']);
    const { services } = stage;
    const by = { organizationId, actor: OPERATOR };
    await revokePersonalToken(services, { ...by, tokenId: of.guest.tokenId });
    const before = await linesOfOrganization(stage);
    clock.advance(HOUR);
    await revokePersonalToken(services, { ...by, tokenId: of.guest.tokenId });
    await changeRole(services, { ...by, accountId: of.guest.accountId, role: 'guest' });
    await changeProjectSettings(services, { ...by, projectId, settings: { name: 'Shop', failFast: false } });
    expect(await linesOfOrganization(stage)).toEqual(before);
    await deactivateOrganization(services, by);
    const deactivated = await linesOfOrganization(stage);
    clock.advance(HOUR);
    await deactivateOrganization(services, by);
    expect(await linesOfOrganization(stage)).toEqual(deactivated);
  });
});

describe('§5 Reading audit records', () => {
  const stageWith = async (records: number) => {
    const stage = await service();
    const { services, organizationId, projectId } = stage;
    for (let number = 1; number <= records; number += 1) {
      clock.advance(1000);
      const settings = { name: `Shop ${number}` };
      await changeProjectSettings(services, { organizationId, projectId, actor: OPERATOR, settings });
    }
    return stage;
  };

  test('The audit log returns each record once, newest first, ten per page by default', async () => {
    const stage = await stageWith(23);
    const expected = (await recordsOf(stage)).reverse();
    const question = { organizationId: stage.organizationId, actor: OPERATOR };
    for (const limit of [undefined, 1, 7, 50]) {
      const walked = [];
      const sizes: number[] = [];
      let page = await readAudit(stage.services, { ...question, limit });
      for (;;) {
        walked.push(...page.records.map(({ cursor, ...record }) => record));
        sizes.push(page.records.length);
        if (!page.hasMore) break;
        const startingAfter = page.records.at(-1)?.cursor;
        page = await readAudit(stage.services, { ...question, limit, startingAfter });
      }
      expect(walked.map(({ auditId }) => auditId)).toEqual(expected.map(({ auditId }) => auditId));
      expect(Math.max(...sizes)).toBe(Math.min(expected.length, limit ?? 10));
    }
  });

  test.each([
    [{ limit: 0 }],
    [{ limit: 51 }],
    [{ limit: 1.5 }],
    [{ startingAfter: 'AUDIT#' }],
    [{ startingAfter: '' }],
  ])('The audit log refuses the query %j and says what to send', async (wrong) => {
    const { services, organizationId } = await service();
    const asked = readAudit(services, { organizationId, actor: OPERATOR, ...wrong });
    await expect(asked).rejects.toThrow(/must be 1 to 50|Pass the `cursor`/);
  });

  test('The audit log returns no records of another organization, even with a cursor from the log of that organization', async () => {
    const first = await stageWith(2);
    const other = await stageWith(2);
    const scopeOf = ({ organizationId }: Stage) => ({ organizationId, actor: OPERATOR });
    const { records } = await readAudit(other.services, scopeOf(other));
    const page = await readAudit(first.services, { ...scopeOf(first), startingAfter: records[0]?.cursor });
    expect(page.records.length).toBeGreaterThan(0);
    expect(page.records.every(({ organizationId }) => organizationId === first.organizationId)).toBe(true);
  });
});
