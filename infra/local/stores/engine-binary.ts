/** Finds the executable of the embedded DynamoDB engine, which npm installs for Linux x64 only. */
import { accessSync, constants, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { CannotStart } from '#infra/local/host/cannot-start.ts';
import PROJECT from '../../../package.json' with { type: 'json' };

/** The machine on which the engine is to run. Tests describe other machines. */
export interface Machine {
  readonly platform: string;
  readonly arch: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Returns the path of a file of an installed package, and throws if the package is not installed. */
  readonly resolve: (file: string) => string;
}

const THIS_MACHINE: Machine = {
  platform: process.platform,
  arch: process.arch,
  env: process.env,
  resolve: createRequire(import.meta.url).resolve,
};

/** Looks at RUNDOWN_DYNOXIDE, the package for this platform, the PATH. Throws `CannotStart` with advice if none. */
export function findEngineBinary({ platform, arch, env, resolve }: Machine = THIS_MACHINE): string {
  const configuredPath = env['RUNDOWN_DYNOXIDE'];
  if (configuredPath !== undefined && configuredPath !== '') {
    if (isExecutable(configuredPath)) return configuredPath;
    throw new CannotStart(
      `RUNDOWN_DYNOXIDE=${configuredPath} is not an executable file. Set the variable to the path of the dynoxide executable`,
    );
  }
  const file = platform === 'win32' ? 'dynoxide.exe' : 'dynoxide';
  const packageName = `@dynoxide/${platform}-${arch}`;
  try {
    return resolve(`${packageName}/${file}`);
  } catch {
    const folders = (env['PATH'] ?? '').split(delimiter).filter((folder) => folder !== '');
    const installedPath = folders.map((folder) => join(folder, file)).find(isExecutable);
    if (installedPath !== undefined) return installedPath;
  }
  const advice =
    platform === 'linux' && arch === 'x64'
      ? 'Run "npm ci" again, without --omit=optional'
      : `Install it with "npm install -g dynoxide@${VERSION}"${
          platform === 'win32' ? '' : ', or with "brew install nubo-db/tap/dynoxide"'
        }, and start again with Node 24 or newer`;
  throw new CannotStart(
    `The embedded DynamoDB engine, dynoxide, is neither installed as the package ${packageName} nor on the PATH. ${advice}. ` +
      'If dynoxide is installed elsewhere, set RUNDOWN_DYNOXIDE=<path of the executable> in the environment, and start again',
  );
}

const VERSION = PROJECT.optionalDependencies['@dynoxide/linux-x64'];

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
