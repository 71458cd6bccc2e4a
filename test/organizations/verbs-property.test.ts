import fc from 'fast-check';
import { expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { auditRecords, getAuditSpan } from '#shared/model/organizations/audit-record.ts';
import { organizations } from '#shared/model/organizations/organization.ts';
import { listInvitations } from '#shared/organizations/invitations.ts';
import { listApiKeys } from '#shared/organizations/list-api-keys.ts';
import { listPersonalTokens } from '#shared/organizations/list-personal-tokens.ts';
import { listMembers } from '#shared/organizations/members.ts';
import { cases } from '#test/harness/cases.ts';
import { client } from '#test/harness/client.ts';
import { PEOPLE, step } from './any-step.ts';
import { Model } from './model.ts';
import { type Reality, reality, take } from './real-steps.ts';

const STEPS = { minLength: 20, maxLength: 40, size: 'max' } as const;

/** The part of the state that must be equal in the model and in the service. */
interface State {
  readonly members: readonly string[];
  readonly invitations: readonly string[];
  readonly keys: number;
  readonly revoked: readonly boolean[];
  readonly changes: number;
  readonly admins: number;
}

const stateOf = (model: Model): State => ({
  members: [...model.members].map(([who, { role }]) => `${who} ${role}`).sort(),
  invitations: model.invitations.flatMap(({ who, role, isOpen }) => (isOpen ? [`${who} ${role}`] : [])).sort(),
  keys: model.keys.filter(({ isDeleted }) => !isDeleted).length,
  revoked: model.tokens.map(({ isRevoked }) => isRevoked),
  changes: model.changes,
  admins: model.admins(),
});

/** The numbers of API keys and of audited changes before the first step. */
const BEFORE = { keys: 2, changes: 4 };

async function stateIn({ stage, people, tokens }: Reality): Promise<State> {
  const { services, organizationId } = stage;
  const question = { organizationId, actor: OPERATOR };
  const [members, invitations, keys, listed, records, organization] = await Promise.all([
    listMembers(services, question),
    listInvitations(services, question),
    listApiKeys(services, question),
    listPersonalTokens(services, question),
    services.table.queryAll(auditRecords, getAuditSpan(question), { consistent: true }),
    services.table.get(organizations, question, { consistent: true }),
  ]);
  const number = (isThem: (account: Reality['people'][number]) => boolean) => people.findIndex(isThem);
  return {
    members: members.map((one) => `${number(({ accountId }) => accountId === one.accountId)} ${one.role}`).sort(),
    invitations: invitations.map((one) => `${number(({ email }) => email === one.email)} ${one.role}`).sort(),
    keys: keys.length - BEFORE.keys,
    revoked: tokens.map((token) => listed.find(({ tokenId }) => tokenId === token.tokenId)?.state === 'revoked'),
    changes: records.filter(({ actor }) => actor !== 'clean-up').length - BEFORE.changes,
    admins: organization?.admins ?? Number.NaN,
  };
}

test('§5 a random sequence of actions leaves an organization and its tokens as the model predicts', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, STEPS), async (steps) => {
      const model = new Model();
      const on = await reality(PEOPLE);
      for (const first of [{ do: 'add', by: 'operator', who: 0, role: 'admin' } as const, ...steps]) {
        const expected = model.take(first);
        expect(await take(on, model, first), JSON.stringify(first)).toBe(expected);
        expect(await stateIn(on), JSON.stringify(first)).toEqual(stateOf(model));
      }
      const answers = on.tokens.map(({ value }) => client(on.stage.origin, value).get('/projects'));
      const statuses = (await Promise.all(answers)).map(({ status }) => status);
      expect(statuses).toEqual(model.tokens.map((token) => (model.works(token) ? 200 : 401)));
    }),
    { numRuns: cases(15, 3) },
  );
});
