import { once } from 'node:events';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { DATA_VERSION, openDataDirectory, replaceFile } from '#infra/local/data-directory.ts';
import { run, serveFixture, temporaryFolder } from './child.ts';

describe('the folder of the data', { timeout: 20_000 }, () => {
  test('in use is refused, with who uses it and what to do', async () => {
    const folder = await temporaryFolder();
    const { child } = await serveFixture(folder);
    await expect(openDataDirectory(folder)).rejects.toThrow(
      new RegExp(
        `in use by process ${child.pid} .*Stop it \\(kill ${child.pid}\\), or use another folder: RUNDOWN_DATA=`,
      ),
    );
  });

  test('in use within one process is refused as well', async () => {
    const folder = await temporaryFolder();
    const first = await openDataDirectory(folder);
    await expect(openDataDirectory(folder)).rejects.toThrow(`in use by process ${process.pid}`);
    await first.release();
  });

  test('is free again after a release', async () => {
    const folder = await temporaryFolder();
    await (await openDataDirectory(folder)).release();
    await (await openDataDirectory(folder)).release();
    expect(await readdir(folder)).not.toContain('lock.json');
  });

  test('is free again when the process that had it was killed', async () => {
    const folder = await temporaryFolder();
    const { child } = await serveFixture(folder);
    child.kill('SIGKILL');
    await once(child, 'exit');
    await (await openDataDirectory(folder)).release();
  });

  test.each([
    [
      'another format',
      JSON.stringify({ dataVersion: DATA_VERSION + 1 }),
      `has format ${DATA_VERSION + 1}, this version of Rundown reads format ${DATA_VERSION}`,
    ],
    ['a damaged version', '{', 'has format unknown'],
  ])('of %s is refused, naming npm run reset, and stays free', async (_, version, message) => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'version.json'), version);
    await expect(openDataDirectory(folder)).rejects.toThrow(message);
    await expect(openDataDirectory(folder)).rejects.toThrow('npm run reset');
  });

  test('keeps files that only this user may read', async () => {
    const file = join(await temporaryFolder(), 'local.json');
    await replaceFile(file, { apiKeys: [] });
    await replaceFile(file, { apiKeys: ['k'] });
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    expect(JSON.parse(await readFile(file, 'utf8'))).toEqual({ apiKeys: ['k'] });
  });
});

describe('npm run reset', { timeout: 20_000 }, () => {
  const reset = (folder: string) => run(['infra/local/reset.ts'], { RUNDOWN_DATA: folder });

  test('removes everything', async () => {
    const folder = join(await temporaryFolder(), 'data');
    await (await openDataDirectory(folder)).release();
    expect(await reset(folder)).toMatchObject({ status: 0, output: expect.stringContaining(`Removed ${folder}`) });
    await expect(stat(folder)).rejects.toThrow('ENOENT');
    expect(await reset(folder)).toMatchObject({ status: 0, output: expect.stringContaining('Nothing to remove') });
  });

  test('refuses while the service runs', async () => {
    const folder = await temporaryFolder();
    const { child } = await serveFixture(folder);
    expect(await reset(folder)).toMatchObject({
      status: 1,
      output: expect.stringContaining(`in use by process ${child.pid}`),
    });
    expect(await readdir(folder)).toContain('dynamodb.db');
  });

  test('refuses a folder that is not the data of Rundown', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'thesis.txt'), 'years of work');
    expect(await reset(folder)).toMatchObject({
      status: 1,
      output: expect.stringContaining('is not a folder of Rundown'),
    });
    expect(await readdir(folder)).toEqual(['thesis.txt']);
  });
});
