/** Runs the `rundown` command as it is installed from its npm package. */
import { execFile } from 'node:child_process';
import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { findInstalledClient } from '#test/harness/stage.ts';

export interface Installed {
  /** The working directory of the installed `rundown` command. */
  readonly folder: string;
  readonly remove: () => Promise<void>;
  /** Runs the installed `rundown` with the machine's Node. It inherits no variable of this process except `PATH`. */
  readonly rundown: (args: readonly string[], environment?: Readonly<Record<string, string>>) => Promise<Ran>;
}

export interface Ran {
  readonly status: number;
  readonly output: string;
  readonly errors: string;
}

/**
 * `PATH` without folders in `node_modules`, so that the command runs with the machine's Node, which may be older than
 * the Node of this project.
 */
const MACHINE_PATH = (process.env['PATH'] ?? '')
  .split(delimiter)
  .filter((folder) => !folder.includes('node_modules'))
  .join(delimiter);

/**
 * The variables that npm and Node need. The variables of a CI system are left out, because the command would read the
 * build from them.
 */
export const BARE: Readonly<Record<string, string>> = {
  PATH: process.env['PATH'] ?? '',
  HOME: '/nonexistent',
  NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
};

export async function installClient(): Promise<Installed> {
  const folder = await mkdtemp(join(tmpdir(), 'rundown-client-'));
  await cp(await findInstalledClient(), folder, { recursive: true, verbatimSymlinks: true });
  const rundown: Installed['rundown'] = async (args, environment = {}) =>
    execute(join(folder, 'node_modules/.bin/rundown'), args, {
      cwd: folder,
      env: { ...BARE, PATH: MACHINE_PATH, ...environment },
    });
  return { folder, rundown, remove: () => rm(folder, { recursive: true, force: true }) };
}

export async function execute(
  program: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string>> },
): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(program, [...args], options, (error, output, errors) => {
      resolve({ status: typeof error?.code === 'number' ? error.code : error ? 1 : 0, output, errors });
    });
  });
}
