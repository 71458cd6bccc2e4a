import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { CannotStart, explainStartError } from '#infra/local/host/cannot-start.ts';
import { getPort } from '#infra/local/host/loopback.ts';
import { freePort, run, serveFixture, temporaryFolder } from './child.ts';

const start = async (folder: string, env: Readonly<Record<string, string>> = {}) =>
  run(['infra/local/start.ts'], { RUNDOWN_DATA: folder, PORT: String(await freePort()), ...env });

describe('A failing npm start', () => {
  test('npm start suggests another port if the port is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    onTestFinished(() => void other.close());
    await once(other, 'listening');
    const port = getPort(other);
    const { status, output } = await start(await temporaryFolder(), { PORT: String(port) });
    expect(status).toBe(1);
    expect(output).toBe(
      `Error: Port ${port} is taken by another process. Stop that process, or choose another port, for example PORT=${port + 1}\n`,
    );
  });

  test('npm start says which ports are valid if the port is invalid', async () => {
    const { status, output } = await start(await temporaryFolder(), { PORT: 'http' });
    expect({ status, output }).toEqual({
      status: 1,
      output: 'Error: PORT=http is not a port. Give a number from 1 to 65535, for example PORT=4000\n',
    });
  });

  test('npm start suggests setting RUNDOWN_DATA to a folder if the data folder is a file or lies in one', async () => {
    const file = join(await temporaryFolder(), 'notes.txt');
    await writeFile(file, 'mine');
    for (const folder of [file, join(file, 'data')]) {
      const { status, output } = await start(folder);
      expect({ status, output }).toEqual({
        status: 1,
        output: `Error: ${folder} is a file or lies in a file. Set RUNDOWN_DATA to a folder, for example RUNDOWN_DATA=/some/folder\n`,
      });
    }
  });

  test('npm start suggests freeing space or using another disk if the disk is full, whether a file operation or the database process reports the error', async () => {
    const full = await writeFile('/dev/full', 'text').catch((error: unknown) => error);
    const engine = new Error('Command failed: make\nError: database or disk is full');
    for (const error of [full, engine])
      expect(explainStartError(error, '/data')).toEqual(
        new CannotStart(
          'The disk with /data is full. Free some space, or set RUNDOWN_DATA to a folder on another disk',
        ),
      );
  });

  test('npm start reports missing write access to the data folder if a file in it cannot be opened, but not for errors about the port or other files', () => {
    const port = Object.assign(new Error('listen EACCES'), { code: 'EACCES', syscall: 'listen' });
    const elsewhere = Object.assign(new Error('open EACCES'), { code: 'EACCES', path: '/etc/other' });
    for (const error of [port, elsewhere]) expect(explainStartError(error, '/data')).toBe(error);
    const own = Object.assign(new Error('open EACCES'), { code: 'EACCES', path: '/data/version.json' });
    expect(explainStartError(own, '/data')).toMatchObject({
      message: expect.stringContaining('may not write to /data'),
    });
  });

  test('npm start names the process that already uses the data folder', async () => {
    const folder = await temporaryFolder();
    const { child } = await serveFixture(folder);
    const { status, output } = await start(folder);
    expect(status).toBe(1);
    expect(output).toContain(`The data in ${folder} is in use by process ${child.pid}`);
  });

  test('npm start suggests npm run reset if the data is from another version', async () => {
    const folder = await temporaryFolder();
    await writeFile(join(folder, 'version.json'), '{"dataVersion":99}');
    const { status, output } = await start(folder);
    expect(status).toBe(1);
    expect(output).toContain('Run "npm run reset" to start empty');
  });

  test('npm start suggests npm ci if the engine of the embedded database is not installed', async () => {
    const hidden = ['--import', './test/infra/local/without-database.mjs', 'infra/local/start.ts'];
    const env = { RUNDOWN_DATA: await temporaryFolder(), PORT: String(await freePort()) };
    const { status, output } = await run(hidden, env);
    expect(status).toBe(1);
    expect(output).toContain('dynoxide, is neither installed as the package @dynoxide/linux-x64 nor on the PATH');
    expect(output).toContain('Run "npm ci" again');
  });

  test('npm start names the required and the current version if Node is too old', async () => {
    const { status, output } = await run(['--import', './test/infra/local/old-node.mjs', 'infra/local/check-node.mjs']);
    expect(status).toBe(1);
    expect(output).toContain('Rundown needs Node 24 or newer, this is v20.11.0.');
  });

  test('npm start prints no colors if its output is not a terminal', async () => {
    const { output } = await start(await temporaryFolder(), { PORT: '0' });
    expect(output).not.toContain('\u001b');
  });
});
