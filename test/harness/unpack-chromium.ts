/** Unpacks Chromium with its libraries and fonts from the npm package `@sparticuz/chromium`. Downloads nothing. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod';

const CACHE = join(import.meta.dirname, '../../cdk.out');

/**
 * The package unpacks Chromium into the temporary folder. It unpacks the libraries only if the environment variables
 * look like those of Lambda.
 */
const UNPACK = `import chromium from '@sparticuz/chromium'; await chromium.executablePath(process.env.PACKED);`;

/** Without the names of fonts for code, the browser would show code in the font of texts, unlike on other machines. */
const FONTS = (folder: string): string => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${folder}/fonts</dir>
  <dir>/usr/share/fonts</dir>
  <cachedir>${folder}/font-cache</cachedir>
  <alias>
    <family>monospace</family>
    <prefer><family>DejaVu Sans Mono</family><family>Liberation Mono</family></prefer>
  </alias>
</fontconfig>
`;

export interface Unpacked {
  readonly executablePath: string;
  readonly environment: Readonly<Record<string, string>>;
}

const packageFolder = join(dirname(createRequire(import.meta.url).resolve('@sparticuz/chromium')), '..');
/** The folder with the archives of Chromium, its libraries and its fonts. */
export const ARCHIVES = join(packageFolder, 'bin');

/**
 * Safe to call concurrently: each call unpacks into a folder of its own and then renames it, and the first rename wins.
 */
export async function unpackChromium(cache: string = CACHE, archives: string = ARCHIVES): Promise<Unpacked> {
  const folder = join(cache, `chromium-${await version()}`);
  if (!existsSync(folder)) await unpackInto(folder, archives);
  return {
    executablePath: join(folder, 'chromium'),
    environment: { LD_LIBRARY_PATH: join(folder, 'al2023/lib'), FONTCONFIG_FILE: join(folder, 'fonts.conf') },
  };
}

async function version(): Promise<string> {
  const description = await readFile(join(packageFolder, 'package.json'), 'utf8');
  return z.object({ version: z.string() }).parse(JSON.parse(description)).version;
}

async function unpackInto(folder: string, archives: string): Promise<void> {
  await mkdir(dirname(folder), { recursive: true });
  const fresh = await mkdtemp(`${folder}-`);
  const env = { ...process.env, TMPDIR: fresh, PACKED: archives, AWS_EXECUTION_ENV: 'AWS_Lambda_nodejs24.x' };
  await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', UNPACK], {
    cwd: import.meta.dirname,
    env,
  });
  await writeFile(join(fresh, 'fonts.conf'), FONTS(folder));
  await rename(fresh, folder).catch(async (cause: unknown) => {
    await rm(fresh, { recursive: true, force: true });
    if (!existsSync(folder)) throw cause;
  });
}
