import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CannotStart } from '#infra/local/host/cannot-start.ts';
import { DATA_VERSION, openDataDirectory } from '#infra/local/host/data-directory.ts';
import { replaceFile } from '#infra/local/host/json-files.ts';
import { startDynamoDb } from '#infra/local/stores/dynamodb.ts';
import { startKms } from '#infra/local/stores/kms.ts';
import { startSqs } from '#infra/local/stores/sqs.ts';
import { startSsm } from '#infra/local/stores/ssm.ts';
import { freePort, run, serveFixture, temporaryFolder } from './child.ts';
import { presignedLink } from './presigned-link.ts';

describe('the data folder', () => {
  test('A data folder in use is refused, and the error names the process that uses it and suggests stopping it or using another folder', async () => {
    const folder = await temporaryFolder();
    const { child } = await serveFixture(folder);
    await expect(openDataDirectory(folder)).rejects.toThrow(
      new RegExp(
        `in use by process ${child.pid} .*Stop it \\(kill ${child.pid}\\), or set RUNDOWN_DATA to another folder`,
      ),
    );
  });

  test('A data folder in use by the same process is refused', async () => {
    const folder = await temporaryFolder();
    const first = await openDataDirectory(folder);
    await expect(openDataDirectory(folder)).rejects.toThrow(`in use by process ${process.pid}`);
    await first.release();
  });

  test('A released data folder can be opened again', async () => {
    const folder = await temporaryFolder();
    await (await openDataDirectory(folder)).release();
    await (await openDataDirectory(folder)).release();
    expect(await readdir(folder)).not.toContain('lock.json');
  });

  test('A data folder can be opened again after the process that used it was killed', async () => {
    const folder = await temporaryFolder();
    const { child } = await serveFixture(folder);
    child.kill('SIGKILL');
    await once(child, 'exit');
    await (await openDataDirectory(folder)).release();
  });

  test.each([
    [
      'data in another format',
      JSON.stringify({ dataVersion: DATA_VERSION + 1 }),
      `has format ${DATA_VERSION + 1}, but this version of Rundown reads format ${DATA_VERSION}`,
    ],
    ['a damaged version file', '{', 'version.json is damaged'],
  ])('A data folder with %s is refused with advice to run npm run reset', async (_, version, message) => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'version.json'), version);
    await expect(openDataDirectory(folder)).rejects.toThrow(message);
    await expect(openDataDirectory(folder)).rejects.toThrow('npm run reset');
  });

  test('A file that the service writes or replaces in the data folder can be read only by the user who runs the service', async () => {
    const file = join(await temporaryFolder(), 'local.json');
    await replaceFile(file, { apiKeys: [] });
    await replaceFile(file, { apiKeys: ['k'] });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ apiKeys: ['k'] });
  });
});

describe('the content of the data folder', () => {
  const modes = async (folder: string) => {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true });
    const all = entries.filter((entry) => entry.isFile() || entry.isDirectory());
    const paths = [folder, ...all.map(({ parentPath, name }) => join(parentPath, name))];
    const modeOf = async (path: string) => [relative(folder, path), (await stat(path)).mode & 0o077] as const;
    return Object.fromEntries(await Promise.all(paths.map(modeOf)));
  };
  const othersMay = async (folder: string) => Object.entries(await modes(folder)).filter(([, mode]) => mode !== 0);

  test('The whole data folder can be read only by the user who runs the service', async () => {
    const folder = join(await temporaryFolder(), 'data');
    const { served } = await serveFixture(folder);
    const link = await presignedLink(served.environment, 'PUT', {});
    expect((await fetch(link, { method: 'PUT', body: 'bytes' })).status).toBe(200);
    expect(Object.keys(await modes(folder))).toEqual(expect.arrayContaining(['dynamodb.db', 'lock.db', 's3/buckets']));
    expect(await othersMay(folder)).toEqual([]);
  });

  test('If an earlier version left a data folder readable by other users, they lose access to it, and symbolic links in it are not followed', async () => {
    const folder = await temporaryFolder();
    const outside = await temporaryFolder();
    await mkdir(join(folder, 's3/buckets'), { recursive: true });
    await writeFile(join(outside, 'mine.txt'), 'mine');
    await writeFile(join(folder, 'lock.db'), '');
    await writeFile(join(folder, 's3/buckets/trace.zip'), 'bytes');
    await symlink(outside, join(folder, 's3/elsewhere'));
    for (const path of ['.', 's3', 's3/buckets']) await chmod(join(folder, path), 0o755);
    for (const path of [join(folder, 's3/buckets/trace.zip'), join(outside, 'mine.txt')]) await chmod(path, 0o644);
    await (await openDataDirectory(folder)).release();
    expect(await othersMay(folder)).toEqual([]);
    expect((await stat(join(outside, 'mine.txt'))).mode & 0o777).toBe(0o644);
  });

  test('A folder with files that are not from Rundown is refused and stays unchanged', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'thesis.txt'), 'years of work');
    await chmod(folder, 0o755);
    await expect(openDataDirectory(folder)).rejects.toThrow(`${folder} is not a data folder of Rundown`);
    expect(await readdir(folder)).toEqual(['thesis.txt']);
    expect((await stat(folder)).mode & 0o777).toBe(0o755);
  });

  const garbage = 'not what it was\n'.repeat(1000);

  test('A damaged lock file is reported by name, with the advice to delete it and without a stack trace', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'lock.db'), garbage);
    for (const command of ['infra/local/start.ts', 'infra/local/reset.ts']) {
      const { status, output } = await run([command], { RUNDOWN_DATA: folder, PORT: `${await freePort()}` });
      expect({ command, status, output }).toEqual({
        command,
        status: 1,
        output: `Error: ${join(folder, 'lock.db')} is damaged. Delete it and try again: it holds no data\n`,
      });
    }
  });

  test.each([
    ['signing-keys.json', 'access tokens that were signed with these keys become invalid', startKms],
    ['secrets.json', 'notifications and issue trackers need their credentials again', startSsm],
    ['sqs/fauxqs.db', 'Queued messages are lost', (file: string) => startSqs(dirname(file))],
    ['dynamodb.db', 'npm run reset', startDynamoDb],
  ])(
    'The error about a damaged file names the file and says what is lost without it, or how to start empty: %s',
    async (name, cost, open) => {
      const file = join(await temporaryFolder(), name);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, garbage);
      const refusal = await open(file).then(
        () => undefined,
        (error: unknown) => error,
      );
      expect(refusal).toBeInstanceOf(CannotStart);
      expect(String(refusal)).toContain(`${file} is damaged. `);
      expect(String(refusal)).toContain(cost);
    },
  );
});

describe('npm run reset', () => {
  const reset = (folder: string) => run(['infra/local/reset.ts'], { RUNDOWN_DATA: folder });

  test('removes the data folder', async () => {
    const folder = join(await temporaryFolder(), 'data');
    await (await openDataDirectory(folder)).release();
    expect(await reset(folder)).toMatchObject({ status: 0, output: expect.stringContaining(`Removed ${folder}`) });
    await expect(stat(folder)).rejects.toThrow('ENOENT');
    expect(await reset(folder)).toMatchObject({ status: 0, output: expect.stringContaining('Nothing to remove') });
  });

  test('is refused while the service runs', async () => {
    const folder = await temporaryFolder();
    const { child } = await serveFixture(folder);
    expect(await reset(folder)).toMatchObject({
      status: 1,
      output: expect.stringContaining(`in use by process ${child.pid}`),
    });
    expect(await readdir(folder)).toContain('dynamodb.db');
  });

  test('refuses a folder with files that are not from Rundown', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'thesis.txt'), 'years of work');
    expect(await reset(folder)).toMatchObject({
      status: 1,
      output: expect.stringContaining('is not a data folder of Rundown'),
    });
    expect(await readdir(folder)).toEqual(['thesis.txt']);
  });
});
