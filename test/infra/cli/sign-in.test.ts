import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { connectSignInSecrets } from '#shared/platform/connect.ts';
import { ENVIRONMENT } from '#shared/platform/environment.ts';
import { administration } from '#test/harness/administration.ts';

const SECRET = 'a-client-secret';

async function stage() {
  const folder = await mkdtemp(join(tmpdir(), 'rundown-secret-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'secret');
  await writeFile(file, `${SECRET}\n`, { mode: 0o600 });
  const here = await administration();
  // The secrets of the test service itself are those of all test files.
  const environment = { ...here.tenant.environment, [ENVIRONMENT.signInPrefix]: `/rundown/${crypto.randomUUID()}` };
  await writeFile(join(process.env['RUNDOWN_DATA'] ?? '', 'store.json'), JSON.stringify(environment));
  const secrets = connectSignInSecrets(environment)();
  const read = (secretId: string) => secrets.get({ organizationId: 'sign-in', secretId });
  return { ...here, file, read, store: ['sign-in', 'secret', '--credential', file] };
}

describe('npm run admin sign-in secret', () => {
  test('stores the client secret of one provider where sign-in reads it, and does not show it', async () => {
    const { run, read, store } = await stage();
    const { status, output, errors } = await run(...store, '--provider', 'github');
    expect([status, errors]).toEqual([0, '']);
    expect(output).toMatch(/github\s+stored/);
    expect(output).not.toContain(SECRET);
    expect(await read('github')).toBe(SECRET);
    expect(await read('openid')).toBeUndefined();
  });

  test('refuses an unknown provider, an empty file, and a deployment without the path of its parameters', async () => {
    const { run, file, store } = await stage();
    expect(await run(...store, '--provider', 'gitlab')).toMatchObject({ status: 2 });
    expect(await run(...store, '--provider', 'openid', '--table', 'rundown-dev')).toMatchObject({
      status: 2,
      errors: expect.stringContaining('Missing --prefix'),
    });
    await writeFile(file, '\n');
    expect(await run(...store, '--provider', 'openid')).toMatchObject({
      status: 2,
      errors: expect.stringContaining('is empty'),
    });
  });
});
