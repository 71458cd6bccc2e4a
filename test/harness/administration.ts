/** Runs `npm run admin` on the table of a test's service. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { service } from './service.ts';

const ADMIN = join(import.meta.dirname, '../../infra/cli/admin.ts');

interface Ended {
  readonly status: number;
  readonly output: string;
  readonly errors: string;
}

export async function administration() {
  const tenant = await service();
  const folder = await mkdtemp(join(tmpdir(), 'rundown-admin-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'store.json'), JSON.stringify(tenant.environment));
  const env = { PATH: process.env.PATH, RUNDOWN_DATA: folder };
  const run = (...words: string[]): Promise<Ended> =>
    new Promise((resolve) => {
      execFile(process.execPath, [ADMIN, ...words], { env }, (error, output, errors) =>
        resolve({ status: Number(error?.code ?? 0), output, errors }),
      );
    });
  const json = async (...words: string[]) => {
    const { output, errors } = await run(...words, '--json');
    if (output === '') throw new Error(errors);
    return JSON.parse(output);
  };
  return { tenant, run, json };
}
