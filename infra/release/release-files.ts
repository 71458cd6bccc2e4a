/** The files of a release that people download. */
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { NOTICES } from '#infra/build/assets.ts';
import { pack } from '#infra/client/pack.ts';
import { releasedName, servedClients } from '#infra/client/served-clients.ts';
import { buildConstructPackage } from '#infra/package/build.ts';
import type { BundledPackages } from './bundled-packages.ts';
import { sbom } from './sbom.ts';

export interface Sources {
  /** The folder of the bundled functions. */
  readonly bundles: string;
  readonly bundled: BundledPackages;
}

/** Writes the client and the construct as packages, the bill of materials, and the notices. */
export async function writeReleaseFiles(folder: string, { bundles, bundled }: Sources): Promise<void> {
  const { version, packages } = await servedClients();
  await writeFile(join(folder, releasedName(version)), packages.get(version) ?? '');
  const construct = await inTemporaryFolder(async (built) => {
    await buildConstructPackage(built, bundles);
    return pack(built);
  });
  await writeFile(join(folder, `rundown-cdk-${version}.tgz`), construct);
  await writeFile(join(folder, 'sbom.cdx.json'), await sbom(bundled));
  await copyFile(NOTICES, join(folder, basename(NOTICES)));
}

export async function inTemporaryFolder<Result>(act: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'rundown-release-'));
  try {
    return await act(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
