import { describe, expect, test } from 'vitest';
import { ENVIRONMENTS } from '#infra/build/environments.ts';
import { describeWhatStays } from '#infra/cli/people.ts';
import { OPERATOR } from '#shared/access/actor.ts';
import { createAccount, findAccount } from '#shared/organizations/create-account.ts';
import { addMember } from '#shared/organizations/members.ts';
import { readAudit } from '#shared/organizations/read-audit.ts';
import { administration } from '#test/harness/administration.ts';
import { recordRun } from '#test/harness/recording.ts';
import { COMMIT, passed } from '#test/harness/recording-messages.ts';
import { itemsOf } from '#test/harness/table-rows.ts';
import { signIn } from '#test/harness/visitor.ts';

const SUITE = { retail: { tests: { 'cart.spec.ts > sums': passed() } } };

describe('npm run admin people erase', () => {
  test('ends memberships, sessions and the account, and erases the person in every organization', async () => {
    const { tenant, json, run } = await administration();
    const { services, organizationId } = tenant;
    const other = { ...tenant, ...(await tenant.tenant()) };
    const email = `lea.noble-${crypto.randomUUID()}@example.com`;
    const account = await createAccount(services, { email, name: 'Lea Noble' });
    for (const { organizationId } of [tenant, other])
      await addMember(services, { organizationId, actor: OPERATOR, accountId: account.accountId, role: 'admin' });
    const visitor = await signIn(tenant, account);
    for (const here of [tenant, other])
      await recordRun(here, SUITE, { commit: { ...COMMIT, authorName: 'Lea Noble', authorEmail: email } });
    expect((await visitor.get(`/${organizationId}`)).status).toBe(200);
    const { output } = await run('people', 'erase', '--email', email.toUpperCase());
    for (const text of ['35 days', '36 days', 'Exports', 'commit messages']) expect(output).toContain(text);
    expect((await visitor.get(`/${organizationId}`)).status).toBe(303);
    const rows = await json('people', 'list', '--organization', other.organizationId);
    expect(rows).toMatchObject([{ runs: '1', left: '0', doneAt: '' }]);
    // The second pass forgets what was searched for.
    const isTrace = (line: string) => line.toLowerCase().includes('lea.noble') || line.includes('Lea Noble');
    const traces = await itemsOf(tenant.environment, (row) => isTrace(JSON.stringify(row)));
    expect(traces.filter(({ sk }) => !String(sk).startsWith('ERASURE#'))).toEqual([]);
    const { records } = await readAudit(services, { organizationId, actor: OPERATOR, limit: 50 });
    expect(records.map(({ action, actor }) => [action, actor])).toEqual(
      expect.arrayContaining([
        ['member deprovisioned', 'operator'],
        ['person erased', 'operator'],
      ]),
    );
    const again = await run('people', 'erase', '--email', email);
    expect(again).toMatchObject({ status: 0 });
  });

  test('with an organization leaves the account and other organizations alone, and refuses a member', async () => {
    const { tenant, run } = await administration();
    const { services, organizationId } = tenant;
    const email = `${crypto.randomUUID()}@example.com`;
    const account = await createAccount(services, { email, name: 'Kim Roe' });
    await addMember(services, { organizationId, actor: OPERATOR, accountId: account.accountId, role: 'guest' });
    const words = ['people', 'erase', '--email', email, '--organization', organizationId];
    const refused = await run(...words);
    expect([refused.status, refused.errors]).toEqual([2, expect.stringContaining('Remove the member first')]);
    await run('members', 'remove', '--organization', organizationId, '--email', email);
    expect(await run(...words)).toMatchObject({ status: 0 });
    expect((await signIn(tenant, account)).get).toBeDefined();
  });

  test('names the times of the environments for backups', () => {
    const { deletedFilesDays } = ENVIRONMENTS.prod;
    expect(describeWhatStays()).toContain(`deleted files for ${deletedFilesDays} days`);
  });
});

test('A key and a token that the operator creates in an emergency are audited as `operator`, and the key is news for Admins', async () => {
  const { tenant, json } = await administration();
  const { services, organizationId } = tenant;
  const of = ['--organization', organizationId];
  const email = `${crypto.randomUUID()}@example.com`;
  await json('members', 'add', ...of, '--email', email, '--role', 'admin');
  await json('keys', 'create', ...of, '--label', 'Emergency', '--level', 'readWrite');
  await json('tokens', 'create', ...of, '--email', email, '--name', 'laptop', '--permissions', 'results:read');
  const { records } = await readAudit(services, { organizationId, actor: OPERATOR, limit: 50 });
  const made = records.filter(({ label }) => label === 'Emergency' || label === 'laptop');
  expect(made.map(({ action, actor }) => `${action} by ${actor}`).sort()).toEqual([
    'API key created by operator',
    'token created by operator',
  ]);
  const account = await findAccount(services, email);
  if (!account) throw new Error('The account is missing');
  const admin = await signIn(tenant, account);
  expect((await admin.get(`/${organizationId}/settings/news`)).text).toContain('Emergency');
});
