/** `npm start` and the tests reuse the CDK assembly while its sources are unchanged. */
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { ensureAssembly } from '#infra/synthesis-cache.ts';

let cache: string;
let made: number;

beforeEach(async () => {
  cache = await mkdtemp(join(tmpdir(), 'rundown-cache-'));
  made = 0;
  onTestFinished(() => rm(cache, { recursive: true }));
});

const synthesize = async (outdir: string): Promise<void> => {
  made += 1;
  await writeFile(join(outdir, 'manifest.json'), `synthesis ${made}`);
};

describe('A cached assembly', () => {
  test('is reused while its inputs are unchanged', async () => {
    const first = await ensureAssembly(cache, { env: 'dev' }, synthesize);
    const second = await ensureAssembly(cache, { env: 'dev' }, synthesize);
    expect([second, made]).toEqual([first, 1]);
    expect(await readFile(join(second, 'manifest.json'), 'utf8')).toBe('synthesis 1');
  });

  test('An assembly is synthesized again for other settings, but not for the same settings in another order', async () => {
    await ensureAssembly(cache, { env: 'dev', owner: 'qa' }, synthesize);
    await ensureAssembly(cache, { owner: 'qa', env: 'dev' }, synthesize);
    expect(made).toBe(1);
    await ensureAssembly(cache, { env: 'dev', owner: 'web' }, synthesize);
    expect(made).toBe(2);
  });

  test('The cache does not contain the assembly of a failed synthesis', async () => {
    const fail = async (outdir: string) => {
      await mkdir(join(outdir, 'bundles'));
      throw new Error('A declaration is wrong');
    };
    await expect(ensureAssembly(cache, {}, fail)).rejects.toThrow('A declaration is wrong');
    expect(await readdir(cache)).toEqual([]);
    await ensureAssembly(cache, {}, synthesize);
    expect(made).toBe(1);
  });

  test('Concurrent calls get the same assembly', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => ensureAssembly(cache, {}, synthesize)));
    expect(new Set(all).size).toBe(1);
    expect(await readdir(cache)).toHaveLength(1);
  });
});
