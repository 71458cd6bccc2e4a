import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { administration } from '#test/harness/administration.ts';
import { TOKEN } from '#test/harness/code-host.ts';
import { GithubStandIn } from '#test/harness/github.ts';
import { deliverEvents } from '#test/harness/service.ts';

deliverEvents();

async function tokenFile(content: string): Promise<string> {
  const file = join(tmpdir(), `rundown-token-${crypto.randomUUID()}`);
  await writeFile(file, content, { mode: 0o600 });
  onTestFinished(() => writeFile(file, ''));
  return file;
}

describe('npm run admin notifications', () => {
  test('npm run admin sets up GitHub notifications with a token from a file, and shows the outcome of a test notification but not the token', async () => {
    const { tenant, json, run } = await administration();
    const github = await GithubStandIn.start();
    const options = ['--organization', tenant.organizationId, '--project', tenant.projectId];
    const file = await tokenFile(`${TOKEN}\n`);
    const set = ['notifications', 'github', ...options, '--repository', 'acme/shop', '--api-url', github.url];
    const saved = await json(...set, '--credential', file);
    expect(saved).toEqual([
      {
        kind: 'github',
        target: `acme/shop at ${github.url}`,
        tells: 'status "rundown/Shop", comments',
        state: 'enabled',
      },
    ]);
    await json('notifications', 'test', ...options, '--kind', 'github');
    const listed = async () => (await json('notifications', 'list', ...options))[0];
    await expect.poll(listed).toMatchObject({ last: expect.stringContaining('Test delivered'), problem: '' });
    github.tokens = [];
    await json('notifications', 'test', ...options, '--kind', 'github');
    await expect.poll(listed).toMatchObject({
      state: expect.stringContaining('disabled: GitHub does not accept the token'),
      problem: expect.stringContaining('401 Bad credentials'),
    });
    const { output } = await run('notifications', 'list', ...options);
    expect(output).not.toContain(TOKEN);
    await json('notifications', 'delete', ...options, '--kind', 'github');
    expect(await json('notifications', 'list', ...options)).toEqual([]);
  });

  test('npm run admin sets up GitLab notifications with the path of a GitLab project', async () => {
    const { tenant, json } = await administration();
    const options = ['--organization', tenant.organizationId, '--project', tenant.projectId];
    const project = ['--repository', 'acme/web/shop', '--status', 'false', '--credential', await tokenFile(TOKEN)];
    expect(await json('notifications', 'gitlab', ...options, ...project)).toMatchObject([
      { kind: 'gitlab', target: 'acme/web/shop at https://gitlab.com/api/v4', tells: 'comments', state: 'enabled' },
    ]);
  });

  test('npm run admin refuses a missing token, a malformed repository name and a kind of notification that is not set up, with the reason', async () => {
    const { tenant, run } = await administration();
    const options = ['--organization', tenant.organizationId, '--project', tenant.projectId];
    const missing = await run('notifications', 'github', ...options, '--repository', 'acme/shop');
    expect(missing).toMatchObject({ status: 2, errors: expect.stringContaining('Enter a GitHub token') });
    const file = await tokenFile(TOKEN);
    const wrong = await run('notifications', 'github', ...options, '--repository', 'shop', '--credential', file);
    expect(wrong).toMatchObject({ status: 2, errors: expect.stringContaining('such as acme/shop') });
    const unknown = await run('notifications', 'test', ...options, '--kind', 'slack');
    expect(unknown).toMatchObject({ status: 2, errors: expect.stringContaining('Notification not found') });
  });
});
