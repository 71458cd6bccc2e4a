/** Runs commands of `npm run admin` against the table of a test service. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { runAdmin } from '#infra/cli/administer.ts';
import { clock, service } from './service.ts';

const ADMIN = join(import.meta.dirname, '../../infra/cli/admin.ts');

interface Ended {
  readonly status: number;
  readonly output: string;
  readonly errors: string;
}

/**
 * `run` and `json` run commands in this process, so that their code is loaded only once. `program` starts a separate
 * process.
 */
export async function administration() {
  const tenant = await service();
  const folder = await mkdtemp(join(tmpdir(), 'rundown-admin-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'store.json'), JSON.stringify(tenant.environment));
  process.env['RUNDOWN_DATA'] = folder;
  const program = (...words: string[]): Promise<Ended> =>
    new Promise((resolve) => {
      const { PATH, NODE_COMPILE_CACHE } = process.env;
      const env = { PATH, NODE_COMPILE_CACHE, RUNDOWN_DATA: folder };
      execFile(process.execPath, [ADMIN, ...words], { env }, (error, output, errors) =>
        resolve({ status: Number(error?.code ?? 0), output, errors }),
      );
    });
  const run = async (...words: string[]): Promise<Ended> => {
    const output = new PassThrough();
    const errors = new PassThrough();
    const texts = Promise.all([text(output), text(errors)]);
    // The clock of a test stands still, but in reality no two commands start at the same moment.
    clock.advance(1000);
    const status = await runAdmin(words, { output, errors });
    for (const stream of [output, errors]) stream.end();
    const [printed, complained] = await texts;
    return { status, output: printed, errors: complained };
  };
  const json = async (...words: string[]) => {
    const { output, errors } = await run(...words, '--json');
    if (output === '') throw new Error(errors);
    return JSON.parse(output);
  };
  return { tenant, program, run, json };
}
