/**
 * Regenerates the traces and screenshots of the demo, which changes their timestamps:
 * `CHROMIUM=/usr/bin/chromium node test/tools/demo/make-files.ts`
 */
import { execFile } from 'node:child_process';
import { copyFile, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PROJECT } from '#infra/build/declarations.ts';

const MODULES = join(PROJECT, 'node_modules');
const SUITE = join(PROJECT, 'test/samples/shop');
const FILES = join(PROJECT, 'infra/local/story/files');
const NAMES = ['bank-is-down', 'card-declined', 'last-piece', 'price-below-cost'];

/** The files of each failed test, with the extensions that the story expects. */
const MADE = [
  ['trace.zip', 'zip'],
  ['test-failed-1.png', 'png'],
  ['error-context.md', 'md'],
] as const;

const { CHROMIUM = '/usr/bin/chromium' } = process.env;

/** Runs the suite, in which all tests fail on purpose. */
function runTests(folder: string): Promise<string> {
  const cli = join(folder, 'node_modules/@playwright/test/cli.js');
  const env = { ...process.env, CHROMIUM, HOME: folder, FORCE_COLOR: '0' };
  const args = [cli, 'test', '--config', 'shop', '--reporter', 'line', '--output', 'results'];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: folder, env }, (_, stdout, stderr) => resolve(`${stdout}${stderr}`));
  });
}

/** Keeps the description of the failure and the page, but not the source of the suite. */
async function shorten(file: string): Promise<void> {
  const text = await readFile(file, 'utf8');
  await writeFile(file, `${text.slice(text.indexOf('# Test info'), text.indexOf('# Test source')).trimEnd()}\n`);
}

const folder = await mkdtemp(join(tmpdir(), 'shop-'));
try {
  // A trace contains the paths of the files that ran. Copies keep paths of this machine out of it.
  for (const name of ['@playwright/test', 'playwright', 'playwright-core'])
    await cp(join(MODULES, name), join(folder, 'node_modules', name), { recursive: true });
  await cp(SUITE, join(folder, 'shop'), { recursive: true });
  await mkdir(FILES, { recursive: true });
  const printed = await runTests(folder);
  const results = await readdir(join(folder, 'results')).catch(() => []);
  for (const name of NAMES) {
    const result = results.find((one) => one.includes(name));
    if (result === undefined) throw new Error(`Playwright reported no result of ${name}. Its output: ${printed}`);
    for (const [file, extension] of MADE) {
      const made = join(FILES, `${name}.${extension}`);
      await copyFile(join(folder, 'results', result, file), made);
      if (extension === 'md') await shorten(made);
      console.log(made, (await stat(made)).size);
    }
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
