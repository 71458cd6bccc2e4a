/** Tests the service with clients of other versions, which are copies of the built client with a changed version. */
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import CLIENT from '#infra/client/package/package.json' with { type: 'json' };
import { service } from '#test/harness/service.ts';
import { findClient } from '#test/harness/stage.ts';
import { junit } from '#test/imports/reports.ts';
import SERVICE from '../../package.json' with { type: 'json' };
import { BARE, execute } from './installed.ts';

const { version } = SERVICE;
const [major = 0, minor = 0, patch = 0] = version.split('.').map(Number);

let built = '';
beforeAll(async () => {
  built = await mkdtemp(join(tmpdir(), 'rundown-versions-'));
  await cp(await findClient(), join(built, version), { recursive: true });
  await writeFile(join(built, 'report.xml'), junit({ 'a.test.ts': { sums: 'passed' } }));
  await writeFile(join(built, 'a.test.mjs'), "import test from 'node:test';\ntest('sums', () => {});\n");
});
afterAll(() => rm(built, { recursive: true, force: true }));

/** Returns the folder of a copy of the built client that has the version number `other`. */
async function clientOf(other: string): Promise<string> {
  const folder = join(built, other);
  await mkdir(folder, { recursive: true });
  for (const file of ['package.json', 'rundown.js', 'node-test.js']) {
    const text = await readFile(join(built, version, file), 'utf8');
    const changed = text.replaceAll(`"${version}"`, `"${other}"`);
    if (other !== version) expect(changed).not.toBe(text);
    await writeFile(join(folder, file), changed);
  }
  return folder;
}

async function stage() {
  const tenant = await service();
  vi.useRealTimers();
  const { origin, projectId, keys } = tenant;
  const env = {
    ...BARE,
    RUNDOWN_DSN: `${origin.replace('://', `://${keys.readWrite}@`)}/${projectId}`,
    RUNDOWN_SPOOL: join(built, 'spool'),
    RUNDOWN_STRICT: '1',
  };
  const notice = (client: string) =>
    `Rundown  this client has version ${client}, and the service ${version}. Install the client that goes with it: npm i -D ${origin}/client/${version}/rundown-cli.tgz\n`;
  const start = async (args: readonly string[], more: Readonly<Record<string, string>> = {}) =>
    execute(process.execPath, args, { cwd: built, env: { ...env, ...more } });
  const upload = async (client: string, more?: Readonly<Record<string, string>>) =>
    start([join(await clientOf(client), 'rundown.js'), 'upload', 'report.xml'], more);
  const report = async (client: string) =>
    start([
      '--test',
      `--test-reporter=${join(await clientOf(client), 'node-test.js')}`,
      '--test-reporter-destination=stdout',
      'a.test.mjs',
    ]);
  return { notice, upload, report };
}

const FAR = [
  ['two minor versions newer', `${major}.${minor + 2}.0`],
  ['of another major version', `${major + 1}.${minor}.${patch}`],
] as const;

describe('A client and a service whose versions differ', () => {
  test.each(FAR)(
    '`rundown upload` and a reporter of a client that is %s print how to install the matching client, and still record results',
    async (_, other) => {
      const { notice, upload, report } = await stage();
      expect(await upload(other)).toMatchObject({
        status: 0,
        output: expect.stringContaining('report.xml  1 test, 1 passed'),
        errors: notice(other),
      });
      expect(await report(other)).toMatchObject({
        status: 0,
        output: expect.stringContaining('1 test recorded'),
        errors: notice(other),
      });
    },
  );

  test.each([version, `${major}.${minor + 1}.${patch + 7}`, ...(minor > 0 ? [`${major}.${minor - 1}.0`] : [])])(
    'A client of version %s, at most one minor version away from the service, prints no notice about versions',
    async (near) => {
      const { upload, report } = await stage();
      expect(await upload(near)).toMatchObject({ status: 0, errors: '' });
      expect(await report(near)).toMatchObject({ status: 0, errors: '' });
    },
  );

  test('A client of another major version prints the notice about versions first, even if its request is refused', async () => {
    const { notice, upload } = await stage();
    const other = `${major + 1}.0.0`;
    const { status, errors } = await upload(other, { RUNDOWN_PROJECT: 'no-such-project' });
    expect({ status, first: `${errors.split('\n')[0]}\n` }).toEqual({ status: 1, first: notice(other) });
  });

  test('The service and the client built from the same sources have the same version, so the client that the notice about versions names exists', () => {
    expect(CLIENT.version).toBe(version);
  });
});
