import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { buildClient } from '#infra/client/build.ts';
import { pack } from '#infra/client/pack.ts';
import { formatReleasedName, loadServedClients } from '#infra/client/served-clients.ts';
import { service } from '#test/harness/service.ts';
import { BARE } from './installed.ts';

const run = promisify(execFile);
const { version, packages } = await loadServedClients();
const current = packages.get(version) ?? Buffer.alloc(0);

async function temporary(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'rundown-served-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
}

/** The environment of an npm that reaches no registry. */
const npm = (cache: string) => ({
  ...BARE,
  npm_config_cache: cache,
  npm_config_registry: 'http://127.0.0.1:1/',
  npm_config_fetch_retries: '0',
  npm_config_update_notifier: 'false',
});

describe('The service', () => {
  test('serves the npm package of its client without authentication, with the bytes of the build, and lets caches keep it for a year', async () => {
    const { origin } = await service();
    const answer = await fetch(`${origin}/client/${version}/rundown-cli.tgz`);
    expect({ status: answer.status, headers: Object.fromEntries(answer.headers) }).toMatchObject({
      status: 200,
      headers: {
        'content-type': 'application/gzip',
        'cache-control': 'public, max-age=31536000, immutable',
        'x-content-type-options': 'nosniff',
      },
    });
    expect(answer.headers.get('content-encoding')).toBeNull();
    expect(Buffer.from(await answer.arrayBuffer()).equals(current)).toBe(true);
  });

  test('redirects from the address without a version to the newest client, and makes caches revalidate this redirect', async () => {
    const { origin } = await service();
    const { status, headers } = await fetch(`${origin}/client/rundown-cli.tgz`, { redirect: 'manual' });
    expect({ status, location: headers.get('location'), cache: headers.get('cache-control') }).toEqual({
      status: 302,
      location: `${origin}/client/${version}/rundown-cli.tgz`,
      cache: 'no-cache',
    });
  });

  test.each([
    '9.9.9/rundown-cli.tgz',
    `${version}/other.tgz`,
    `${version}/rundown-cli.tgz/more`,
    `${version}%2Frundown-cli.tgz/`,
    '__proto__/rundown-cli.tgz',
    'latest',
  ])('answers 404 to /client/%s, and lists the available versions of the client', async (path) => {
    const { origin } = await service();
    const answer = await fetch(`${origin}/client/${path}`);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'text/plain; charset=utf-8']);
    const all = [...packages.keys()].map((one) => `${origin}/client/${one}/rundown-cli.tgz\n`).join('');
    expect(await answer.text()).toBe(`There is no such file. This service has these versions of its client:\n${all}`);
  });

  test('serves a client that npm installs without a registry, and installs again from the lock file', async () => {
    const { origin } = await service();
    vi.useRealTimers();
    const folder = await temporary();
    await writeFile(join(folder, 'package.json'), '{"private":true}');
    const url = `${origin}/client/${version}/rundown-cli.tgz`;
    const options = { cwd: folder, env: npm(join(folder, 'cache')) };
    await run('npm', ['install', '--save-dev', '--no-audit', '--no-fund', url], options);
    const lock = JSON.parse(await readFile(join(folder, 'package-lock.json'), 'utf8'));
    expect(lock.packages['node_modules/rundown-cli']).toMatchObject({
      version,
      resolved: url,
      integrity: expect.stringMatching(/^sha512-/),
    });
    expect(Object.keys(lock.packages)).toEqual(['', 'node_modules/rundown-cli']);

    // With an empty cache, npm downloads the package again and compares it with the hash of the lock file.
    const again = { cwd: folder, env: npm(join(folder, 'other-cache')) };
    await run('npm', ['ci', '--no-audit', '--no-fund'], again);
    const { stdout } = await run('npx', ['--no', '--', 'rundown', '--version'], again);
    expect(stdout).toBe(`${version}\n`);
  });
});

describe('The packed client', () => {
  test('has the same bytes even if it is built again from another folder and its files are newer', async () => {
    const folder = await temporary();
    const client = join(folder, 'client');
    const program = [
      `import { buildClient } from ${JSON.stringify(join(import.meta.dirname, '../../infra/client/build.ts'))};`,
      `await buildClient(${JSON.stringify(client)});`,
    ];
    await run(process.execPath, ['--input-type=module', '--eval', program.join('\n')], { cwd: folder, env: BARE });
    for (const name of await readdir(client)) await utimes(join(client, name), 2_000_000_000, 2_000_000_000);
    expect((await pack(client)).equals(current)).toBe(true);
  });

  test('has the same files, contents and file modes as the package that `npm pack` creates', async () => {
    const folder = await temporary();
    const client = join(folder, 'client');
    await buildClient(client);
    // esbuild keeps the umask of the moment at which it was started. A test that opened a data folder may have set one
    // that makes new files private.
    await run('chmod', ['-R', 'u=rwX,go=rX', client]);
    const { stdout } = await run('npm', ['pack', client, '--silent'], { cwd: folder, env: npm(join(folder, 'cache')) });
    const ours = join(folder, 'ours.tgz');
    await writeFile(ours, await pack(client));
    const unpacked = await filesIn(ours, join(folder, 'ours'));
    expect(unpacked).toEqual(await filesIn(join(folder, stdout.trim()), join(folder, 'npm')));
    const needed = ['LICENSE', 'THIRD-PARTY-NOTICES', 'rundown.js'].map((name) => `package/${name}`);
    expect(Object.keys(unpacked)).toEqual(expect.arrayContaining(needed));
  });

  test('contains neither the path of the repository in which it was built nor a relative path that contains `../`', () => {
    const text = gunzipSync(current).toString('latin1');
    expect(text).not.toContain(join(import.meta.dirname, '../..'));
    // The three dots of a spread, which esbuild writes as `.../* @__PURE__ */`, are allowed.
    expect(text).not.toMatch(/(?<!\.)\.\.\//);
  });
});

/** Unpacks an archive, and returns the mode and the content of each file. */
async function filesIn(archive: string, folder: string) {
  await mkdir(folder);
  await run('tar', ['--extract', '--preserve-permissions', '--file', archive, '--directory', folder]);
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const files = paths.sort().map(async (path) => {
    const [{ mode }, content] = await Promise.all([stat(path), readFile(path, 'utf8')]);
    return [path.slice(folder.length + 1), { mode: (mode & 0o777).toString(8), content }] as const;
  });
  return Object.fromEntries(await Promise.all(files));
}

describe('Released clients', () => {
  test('are still served unchanged, and are listed newest first', async () => {
    const folder = await temporary();
    const old = ['0.0.9', '0.0.10'];
    for (const name of old) await writeFile(join(folder, formatReleasedName(name)), `client ${name}`);
    await writeFile(join(folder, 'README.md'), 'Not a client');
    const served = await loadServedClients(folder);
    expect([...served.packages.keys()]).toEqual([version, '0.0.10', '0.0.9']);
    expect(served.packages.get('0.0.9')?.toString()).toBe('client 0.0.9');
  });

  test('keep their bytes even if a new build compresses the same content differently', async () => {
    const folder = await temporary();
    const released = gzipSync(gunzipSync(current), { level: 1 });
    await writeFile(join(folder, formatReleasedName(version)), released);
    expect((await loadServedClients(folder)).packages.get(version)?.equals(released)).toBe(true);
  });

  test('make the build fail if the client has changed but still has the version of a release', async () => {
    const folder = await temporary();
    await writeFile(join(folder, formatReleasedName(version)), gzipSync('another client'));
    await expect(loadServedClients(folder)).rejects.toThrow('raise the version in infra/client/package/package.json');
  });
});
