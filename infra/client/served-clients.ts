/** The versions of the client that a service serves: the one of these sources, and all that were released before. */
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildClient } from './build.ts';
import { containTheSame, pack } from './pack.ts';
import PACKAGE from './package/package.json' with { type: 'json' };

/** The folder with the packed npm package of each released version. `npm run release` adds one, and none may change. */
export const RELEASED = join(import.meta.dirname, 'released');

export const formatReleasedName = (version: string): string => `rundown-cli-${version}.tgz`;
const RELEASED_NAME = /^rundown-cli-(.+)\.tgz$/;

export interface ServedClients {
  /** The version of these sources. */
  readonly version: string;
  /** The packed npm packages by version, this version first. */
  readonly packages: ReadonlyMap<string, Buffer>;
}

export async function loadServedClients(folder: string = RELEASED): Promise<ServedClients> {
  const { version } = PACKAGE;
  const [builtPackage, releasedPackages] = await Promise.all([packClient(), readReleasedClients(folder)]);
  const release = releasedPackages.get(version);
  if (release && !containTheSame(release, builtPackage))
    throw new Error(
      `The client changed since its version ${version} was released: raise the version in infra/client/package/package.json`,
    );
  return { version, packages: new Map([[version, release ?? builtPackage], ...releasedPackages]) };
}

async function packClient(): Promise<Buffer> {
  const folder = await mkdtemp(join(tmpdir(), 'rundown-client-'));
  try {
    await buildClient(folder);
    return await pack(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The newest version comes first. */
async function readReleasedClients(folder: string): Promise<Map<string, Buffer>> {
  const names = (await readdir(folder)).filter((name) => RELEASED_NAME.test(name));
  const files = await Promise.all(
    names.map(async (name) => [name.replace(RELEASED_NAME, '$1'), await readFile(join(folder, name))] as const),
  );
  const order = new Intl.Collator('en', { numeric: true });
  return new Map(files.sort(([one], [other]) => order.compare(other, one)));
}
