import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CannotStart } from '#infra/local/host/cannot-start.ts';
import { findEngineBinary, type Machine } from '#infra/local/stores/engine-binary.ts';
import { temporaryFolder } from './child.ts';

const NOTHING_INSTALLED: Machine['resolve'] = (file) => {
  throw new Error(`Cannot find module '${file}'`);
};
const mac = (more: Partial<Machine> = {}): Machine => ({
  platform: 'darwin',
  arch: 'arm64',
  env: {},
  resolve: NOTHING_INSTALLED,
  ...more,
});

/** Writes an executable file. Returns its path. */
async function executable(folder: string, name: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  const file = join(folder, name);
  await writeFile(file, '#!/bin/sh\n');
  await chmod(file, 0o755);
  return file;
}

describe('The engine of the embedded DynamoDB', () => {
  test('The database engine is the file that RUNDOWN_DYNOXIDE names, even if other engines are installed', async () => {
    const named = await executable(await temporaryFolder(), 'my-engine');
    const env = { RUNDOWN_DYNOXIDE: named };
    expect(findEngineBinary(mac({ env, resolve: () => '/packaged' }))).toBe(named);
  });

  test.each([
    ['darwin', 'arm64', '@dynoxide/darwin-arm64/dynoxide'],
    ['linux', 'arm64', '@dynoxide/linux-arm64/dynoxide'],
    ['win32', 'x64', '@dynoxide/win32-x64/dynoxide.exe'],
  ])('The database engine comes from the npm package for %s %s', (platform, arch, file) => {
    expect(findEngineBinary(mac({ platform, arch, resolve: (wanted) => `/node_modules/${wanted}` }))).toBe(
      `/node_modules/${file}`,
    );
  });

  test('The database engine is found on the PATH if no package is installed, and files that cannot be executed are skipped', async () => {
    const folder = await temporaryFolder();
    await mkdir(join(folder, 'first/dynoxide'), { recursive: true });
    await mkdir(join(folder, 'second'));
    await writeFile(join(folder, 'second/dynoxide'), 'not executable');
    const found = await executable(join(folder, 'third'), 'dynoxide');
    const PATH = ['', ...['first', 'second', 'third'].map((name) => join(folder, name))].join(delimiter);
    expect(findEngineBinary(mac({ env: { PATH } }))).toBe(found);
  });

  test.each([
    ['darwin', 'arm64', ['npm install -g dynoxide@1.2.1', 'brew install nubo-db/tap/dynoxide', 'Node 24']],
    ['win32', 'x64', ['npm install -g dynoxide@1.2.1', 'Node 24']],
    ['linux', 'x64', ['npm ci', '--omit=optional']],
  ])('If the database engine is missing on %s %s, the error says how to install it', (platform, arch, advice) => {
    const find = () => findEngineBinary(mac({ platform, arch, env: { PATH: '/nowhere' } }));
    expect(find).toThrow(CannotStart);
    for (const part of [...advice, `@dynoxide/${platform}-${arch}`, 'RUNDOWN_DYNOXIDE=']) expect(find).toThrow(part);
  });

  test('The database engine is refused if RUNDOWN_DYNOXIDE names no executable file', () => {
    const find = () => findEngineBinary(mac({ env: { RUNDOWN_DYNOXIDE: '/nowhere/dynoxide' } }));
    expect(find).toThrow('RUNDOWN_DYNOXIDE=/nowhere/dynoxide is not an executable file');
  });
});
