import { describe, expect, test } from 'vitest';
import { administration } from '#test/harness/administration.ts';

const EMAIL = () => `${crypto.randomUUID()}@example.com`;

describe('npm run admin', () => {
  test('creates an organization, invites people, lets them join, and deactivates the organization', async () => {
    const { json, run } = await administration();
    const alex = EMAIL();
    const kim = EMAIL();
    await json('accounts', 'create', '--email', alex, '--name', 'Alex Doe');
    await json('accounts', 'create', '--email', kim, '--name', 'Kim Roe');
    const [{ organizationId }] = await json('organizations', 'create', '--name', 'Acme', '--as', alex);
    const owner = ['--organization', organizationId];
    const invite = ['members', 'invite', ...owner, '--email', kim, '--role', 'member', '--as', alex];
    const [{ secret, link, ...invited }] = await json(...invite);
    expect(secret).toMatch(/^rdn_inv_\w{42}$/);
    expect(link.endsWith(`/invitations#${secret}`)).toBe(true);
    expect(await json('invitations', 'list', ...owner)).toEqual([{ ...invited, invitedBy: alex, state: 'open' }]);
    const joined = await json('members', 'join', '--email', kim, '--secret', secret);
    expect(joined).toMatchObject([{ organizationId, email: kim, role: 'member' }]);
    const again = await run('members', 'join', '--email', kim, '--secret', secret);
    expect(again).toMatchObject({ status: 2, errors: expect.stringContaining('Invitation not found') });
    await json('organizations', 'deactivate', ...owner, '--as', alex);
    expect((await run('keys', 'create', ...owner, '--label', 'CI', '--level', 'readOnly')).errors).toContain(
      'deactivated',
    );
    const listed = await json('organizations', 'list');
    expect(listed).toContainEqual(
      expect.objectContaining({ organizationId, deactivatedAt: expect.stringMatching(/Z$/) }),
    );
  });

  test('shows the link of an invitation only once and says so, and withdraws an invitation', async () => {
    const { tenant, json, run } = await administration();
    const owner = ['--organization', tenant.organizationId];
    const email = EMAIL();
    const site = ['--origin', 'https://rundown.example.com'];
    const { output } = await run('members', 'invite', ...owner, '--email', email, '--role', 'guest', ...site);
    expect(output).toMatch(
      /https:\/\/rundown\.example\.com\/invitations#rdn_inv_\w{42}\nThe secret is shown only once\. Send the link to \S+, who/,
    );
    const listed = await run('invitations', 'list', ...owner);
    expect(listed.output).not.toContain('rdn_inv_');
    expect(await json('invitations', 'withdraw', ...owner, '--email', email)).toMatchObject([
      { email, state: 'withdrawn' },
    ]);
    expect((await run('invitations', 'list', ...owner)).output).toBe('None.\n');
  });

  test('shows and changes the settings of a project', async () => {
    const { tenant, json, run } = await administration();
    const options = ['--organization', tenant.organizationId, '--project', tenant.projectId];
    const [shown] = await json('projects', 'settings', ...options);
    expect(shown).toMatchObject({ name: 'Shop', inactivityTimeoutSeconds: '1800', failFast: 'false' });
    const changes = ['--inactivity-timeout', '12h', '--fail-fast', 'true', '--branch', 'trunk', '--name', 'Store'];
    const [changed] = await json('projects', 'settings', ...options, ...changes, '--tags', 'web,critical');
    const numbers = { inactivityTimeoutSeconds: '43200', failFast: 'true' };
    const expected = { ...numbers, defaultBranchName: 'trunk', name: 'Store', tags: 'web, critical' };
    const kept = { resultsDays: 'forever', evidenceDays: 'forever', filesDays: 'forever' };
    const gate = { gateNewFailures: 'false', gateMissingTests: 'false' };
    expect(changed).toEqual({ projectId: tenant.projectId, ...expected, ...kept, ...gate });
    expect(await json('projects', 'settings', ...options, '--inactivity-timeout', '3m')).toMatchObject([
      { inactivityTimeoutSeconds: '180', failFast: 'true' },
    ]);
    const short = await run('projects', 'settings', ...options, '--inactivity-timeout', '179');
    expect(short).toMatchObject({ status: 2, errors: expect.stringContaining('180 to 43200 whole seconds') });
  });

  test('shows and changes the retention of a project, and the audit record names each change', async () => {
    const { tenant, json, run } = await administration();
    const owner = ['--organization', tenant.organizationId];
    const [{ projectId }] = await json('projects', 'create', ...owner, '--name', 'Web', '--results-days', '90');
    const options = [...owner, '--project', projectId];
    const [created] = await json('projects', 'settings', ...options);
    expect(created).toMatchObject({ resultsDays: '90', evidenceDays: 'default', filesDays: 'default' });
    const [changed] = await json('projects', 'settings', ...options, '--results-days', 'forever', '--files-days', '7');
    expect(changed).toMatchObject({ resultsDays: 'forever', evidenceDays: 'default', filesDays: '7' });
    const [back] = await json('projects', 'settings', ...options, '--results-days', 'default');
    expect(back).toMatchObject({ resultsDays: 'default', evidenceDays: 'default', filesDays: '7' });
    const details = (await json('audit', 'list', ...owner)).map(({ detail }: Record<string, string>) => detail);
    expect(details).toContain('resultsDays: 90 to forever; filesDays: default to 7');
    for (const [days, problem] of [
      ['0', 'The retention of results must be 1 to 3650 whole days, unless it is forever or the default'],
      ['3651', 'The retention of results must be 1 to 3650 whole days, unless it is forever or the default'],
      ['6', 'The retention of files must not be longer than that of results (in days: 6)'],
      ['soon', '--results-days must be a number of days, forever or default'],
    ] as const) {
      const refused = await run('projects', 'settings', ...options, '--results-days', days);
      expect(refused).toMatchObject({ status: 2, errors: expect.stringContaining(problem) });
    }
  });

  test('sets and removes the limits of an organization, and shows its usage', async () => {
    const { tenant, json, run } = await administration();
    const { organizationId } = tenant;
    const limits = ['organizations', 'limits', '--organization', organizationId];
    const unchanged = {
      organizationId,
      requestsPerMonth: 'default',
      requestsThisMonth: '0',
      requestsPerMinute: 'default',
      storedMegabytes: 'default',
      storedNow: '0.0',
    };
    expect(await json(...limits)).toEqual([unchanged]);
    const changed = { ...unchanged, requestsPerMonth: '5000', storedMegabytes: '250' };
    expect(await json(...limits, '--requests-per-month', '5000', '--stored-megabytes', '250')).toEqual([changed]);
    expect(await json(...limits, '--requests-per-minute', '900')).toEqual([{ ...changed, requestsPerMinute: '900' }]);
    const removed = ['--requests-per-month', 'default', '--requests-per-minute', 'default'];
    expect(await json(...limits, ...removed)).toEqual([{ ...unchanged, storedMegabytes: '250' }]);
    const [last] = await json('audit', 'list', '--organization', organizationId, '--limit', '1');
    expect(last).toMatchObject({
      action: 'limits changed',
      detail: 'requests per month: 5,000 to default; requests per key and minute: 900 to default',
    });
    for (const [option, value, problem] of [
      ['--requests-per-month', '0', 'must be a whole number of at least 1, or default'],
      ['--requests-per-month', 'many', '--requests-per-month must be a number, or the word default'],
      ['--requests-per-minute', '299', 'must be a whole number of at least 300, or default'],
    ] as const) {
      const refused = await run(...limits, option, value);
      expect(refused).toMatchObject({ status: 2, errors: expect.stringContaining(problem) });
    }
  });

  test('lists audit records in pages, newest first, with the email addresses of members', async () => {
    const { tenant, json } = await administration();
    const owner = ['--organization', tenant.organizationId];
    const email = EMAIL();
    await json('members', 'add', ...owner, '--email', email, '--role', 'admin');
    const [first] = await json('audit', 'list', ...owner, '--limit', '1');
    expect(first).toMatchObject({ actor: 'operator', action: 'member added', subject: email, detail: 'admin' });
    const rest = await json('audit', 'list', ...owner, '--starting-after', first.cursor);
    const actions = rest.map(({ action }: Record<string, string>) => action).sort();
    expect(actions).toEqual(['API key created', 'API key created', 'organization created', 'project created']);
  });

  test('If a command is unknown, npm run admin lists only the commands with its noun, such as "keys", or all commands if the noun is also unknown', async () => {
    const { run } = await administration();
    const { errors } = await run('keys', 'rename');
    expect(errors).toContain('keys delete --organization <id> --key <key id>');
    expect(errors).not.toContain('accounts create');
    expect((await run('keyboards')).errors).toContain('accounts create');
  });
});
