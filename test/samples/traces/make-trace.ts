/**
 * Makes `trace.zip` anew: `CHROMIUM=/usr/bin/chromium node test/samples/traces/make-trace.ts`. Times and ports differ
 * each time, so `reading.json` must be checked and adapted by hand.
 */
import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const HERE = import.meta.dirname;
const MODULES = join(HERE, '../../../node_modules');

export const CHROMIUM = process.env['CHROMIUM'] ?? '/usr/bin/chromium';

/** The trace of one run of `checkout.spec.ts`. */
export async function makeTrace(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'rundown-trace-'));
  try {
    // A trace contains the paths of the files that ran. Copies keep paths of this machine out of it.
    for (const name of ['@playwright/test', 'playwright', 'playwright-core'])
      await cp(join(MODULES, name), join(folder, 'node_modules', name), { recursive: true });
    await cp(join(HERE, 'checkout.spec.ts'), join(folder, 'checkout.spec.ts'));
    await mkdir(join(folder, 'home'));
    const output = await runTest(folder);
    const file = join(folder, 'results/checkout-the-total-is-shown/trace.zip');
    return await readFile(file).catch((cause) => {
      throw new Error(`There is no trace. Playwright said: ${output}`, { cause });
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs the test, which fails on purpose. Returns the output of Playwright. */
function runTest(folder: string): Promise<string> {
  const cli = join(folder, 'node_modules/@playwright/test/cli.js');
  const args = [cli, 'test', '--reporter', 'line', '--output', 'results'];
  const env = { ...process.env, CHROMIUM, HOME: join(folder, 'home'), FORCE_COLOR: '0' };
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: folder, env, timeout: 60_000 }, (_, stdout, stderr) =>
      resolve(`${stdout}${stderr}`),
    );
  });
}

if (import.meta.main) {
  const file = join(HERE, 'trace.zip');
  const trace = await makeTrace();
  await writeFile(file, trace);
  console.log(`${file}: ${trace.length} bytes`);
}
