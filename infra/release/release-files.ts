/** The files of a release that people download. */
import { copyFile, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { NOTICES } from '#infra/build/assets.ts';
import { pack } from '#infra/client/pack.ts';
import { formatReleasedName, loadServedClients } from '#infra/client/served-clients.ts';
import { buildConstructPackage } from '#infra/package/build.ts';
import type { BundledPackages } from './bundled-packages.ts';
import { buildSbom } from './sbom.ts';

export interface Sources {
  /** The folder of the bundled functions. */
  readonly bundles: string;
  readonly bundled: BundledPackages;
}

export async function writeReleaseFiles(folder: string, { bundles, bundled }: Sources): Promise<void> {
  const { version, packages } = await loadServedClients();
  await writeFile(join(folder, formatReleasedName(version)), packages.get(version) ?? '');
  const construct = await useTemporaryFolder(async (packageFolder) => {
    await buildConstructPackage(packageFolder, bundles);
    return pack(packageFolder);
  });
  await writeFile(join(folder, `rundown-cdk-${version}.tgz`), construct);
  await writeFile(join(folder, 'sbom.cdx.json'), await buildSbom(bundled));
  await copyFile(NOTICES, join(folder, basename(NOTICES)));
}

export async function useTemporaryFolder<Result>(act: (folder: string) => Promise<Result>): Promise<Result> {
  const folder = await mkdtemp(join(tmpdir(), 'rundown-release-'));
  try {
    return await act(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
