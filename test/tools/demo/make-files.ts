/**
 * Regenerates the traces, screenshots, error contexts, snapshots and the video of the demo, whose timestamps change
 * each time. The video needs `ffmpeg`: `CHROMIUM=/usr/bin/chromium node test/tools/demo/make-files.ts`
 */
import { execFile } from 'node:child_process';
import { copyFile, cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { PROJECT } from '#infra/build/declarations.ts';

const MODULES = join(PROJECT, 'node_modules');
const SUITE = join(PROJECT, 'test/samples/shop');
const FILES = join(PROJECT, 'infra/demo/story/files');
const NAMES = ['bank-is-down', 'card-declined', 'last-piece', 'picture-differs', 'price-below-cost'];
/**
 * The pictures of the test that fails because its screenshot differs: the expected and the actual screenshot, and their
 * difference.
 */
const SNAPSHOTS = ['expected', 'actual', 'diff'].map((part) => `zoomed-${part}.png`);

/** The files that Playwright writes for each failed test, with the extensions that the demo expects. */
const MADE = [
  ['trace.zip', 'zip'],
  ['test-failed-1.png', 'png'],
  ['error-context.md', 'md'],
] as const;

const { CHROMIUM = '/usr/bin/chromium' } = process.env;

/**
 * Runs the sample suite, and returns the output. `snapshots` stores the expected screenshots of a page without gift
 * cards. `failures` runs all tests, which fail on purpose, one of them because the page now has gift cards.
 */
function runTests(folder: string, kind: 'snapshots' | 'failures'): Promise<string> {
  const cli = join(folder, 'node_modules/@playwright/test/cli.js');
  const isFirst = kind === 'snapshots';
  const env = { ...process.env, CHROMIUM, HOME: folder, FORCE_COLOR: '0', GIFT_CARDS: isFirst ? 'no' : 'yes' };
  const more = isFirst ? ['--update-snapshots', '--grep', 'picture differs'] : [];
  const args = [cli, 'test', '--config', 'shop', '--reporter', 'line', '--output', 'results', ...more];
  return new Promise((resolve) => {
    execFile(process.execPath, args, { cwd: folder, env }, (_, stdout, stderr) => resolve(`${stdout}${stderr}`));
  });
}

/**
 * Shortens an error context: keeps the descriptions of the failure and of the page, and removes the source of the
 * suite.
 */
async function shorten(file: string): Promise<void> {
  const text = await readFile(file, 'utf8');
  await writeFile(file, `${text.slice(text.indexOf('# Test info'), text.indexOf('# Test source')).trimEnd()}\n`);
}

/** Makes a video from screenshots. Playwright's own videos would need a program that Playwright downloads. */
const makeVideo = (from: string, to: string): Promise<unknown> =>
  promisify(execFile)('ffmpeg', [
    ...['-y', '-loglevel', 'error', '-framerate', '0.7', '-i', join(from, 'frame-%d.png')],
    ...['-r', '5', '-c:v', 'libvpx', '-b:v', '120k', '-pix_fmt', 'yuv420p', to],
  ]);

const folder = await mkdtemp(join(tmpdir(), 'shop-'));
try {
  // A trace contains the paths of the files that ran. Everything runs from copies in a temporary folder, so that traces
  // do not contain paths of this machine.
  for (const name of ['@playwright/test', 'playwright', 'playwright-core'])
    await cp(join(MODULES, name), join(folder, 'node_modules', name), { recursive: true });
  await cp(SUITE, join(folder, 'shop'), { recursive: true });
  await mkdir(FILES, { recursive: true });
  await runTests(folder, 'snapshots');
  const printed = await runTests(folder, 'failures');
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
    if (name !== 'picture-differs') continue;
    for (const picture of SNAPSHOTS) await copyFile(join(folder, 'results', result, picture), join(FILES, picture));
    await makeVideo(join(folder, 'results', result), join(FILES, `${name}.webm`));
  }
} finally {
  await rm(folder, { recursive: true, force: true });
}
