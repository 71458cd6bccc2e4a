/**
 * The software bill of materials of a release, in CycloneDX 1.6: the packages in its bundles, as the lock file
 * describes them. Development tools are not part of it.
 */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod';
import { PROJECT } from '#infra/build/declarations.ts';
import PACKAGE from '../../package.json' with { type: 'json' };
import type { BundledPackages } from './bundled-packages.ts';

const Component = z.looseObject({ 'bom-ref': z.string(), name: z.string(), version: z.string() });
/** What `npm sbom` prints. */
const Printed = z.object({
  metadata: z.looseObject({ component: Component }),
  components: z.array(Component),
  dependencies: z.array(z.looseObject({ ref: z.string(), dependsOn: z.array(z.string()).default([]) })),
});

/**
 * Contains neither a time nor a random number, so the same packages always give the same text. npm reads only the lock
 * file, without network. `--omit dev` would also leave out production packages that a development tool uses as well.
 */
export async function buildSbom({ service, client }: BundledPackages): Promise<string> {
  const args = ['sbom', '--package-lock-only', '--sbom-format', 'cyclonedx', '--sbom-type', 'application'];
  const { stdout } = await promisify(execFile)('npm', args, { cwd: PROJECT, maxBuffer: 64 * 1024 * 1024 });
  const { metadata, components, dependencies } = Printed.parse(JSON.parse(stdout));
  const lock = Lock.parse(JSON.parse(await readFile(join(PROJECT, 'package-lock.json'), 'utf8')));
  const keptComponents = new Map(
    [...service, ...client].map(({ name, version, folder }) => {
      const match = components.find((component) => component.name === name && component.version === version);
      if (!match)
        throw new Error(
          `${name} ${version} is bundled, but package-lock.json has no such package: run \`npm ci\`, and try again`,
        );
      return [
        match['bom-ref'],
        { ...match, scope: 'required', properties: [], hashes: [getPackageHash(lock, folder)] },
      ];
    }),
  );
  const ownComponent = { ...metadata.component, name: PACKAGE.name };
  const refs = new Set([ownComponent['bom-ref'], ...keptComponents.keys()]);
  const document = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: ownComponent },
    components: [...keptComponents.values()],
    dependencies: dependencies
      .filter(({ ref }) => refs.has(ref))
      .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => refs.has(other)) })),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

const Lock = z.object({ packages: z.record(z.string(), z.object({ integrity: z.string().optional() })) });

/** `npm sbom` leaves the hash out if the same version is also installed in the folder of another package. */
function getPackageHash({ packages }: z.output<typeof Lock>, folder: string) {
  const [algorithm, hash = ''] = (packages[folder]?.integrity ?? '').split('-', 2);
  if (algorithm !== 'sha512') throw new Error(`package-lock.json has no SHA-512 hash of ${folder}`);
  return { alg: 'SHA-512', content: Buffer.from(hash, 'base64').toString('hex') };
}
