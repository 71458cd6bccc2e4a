import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { loadDeclarations } from '#infra/build/declarations.ts';
import { OWN_BUNDLE, SHARED_PACKAGES } from '#infra/local/lambda/shared-packages.ts';
import { accessToken } from '#test/harness/access-tokens.ts';
import { separateBundles } from '#test/harness/assemblies.ts';
import { IS_DEEP } from '#test/harness/cases.ts';
import { runDeployedBundles, service } from '#test/harness/service.ts';
import { authorized, goodRequest, sampleWorld } from './engine/http/sample-requests.ts';
import { send } from './engine/http/wire.ts';

runDeployedBundles();

const bundles = await separateBundles();
const all = await loadDeclarations();

/**
 * Returns the npm packages that the bundle of an operation requires. The bundle names the packages, but does not
 * include them.
 */
function packagesOf(file: string): string {
  const bundle = readFileSync(join(bundles, basename(file, '.ts'), `${OWN_BUNDLE}.js`), 'utf8');
  const names = Array.from(
    bundle.matchAll(new RegExp(`"${SHARED_PACKAGES}"\\)\\W+([\\w/-]+)`, 'g')),
    ([, name]) => name,
  );
  return [...new Set(names)].sort().join();
}

/**
 * Bundles that require the same packages fail in the same way, so `npm test` calls one operation per method and set of
 * packages.
 */
const kinds = new Map(
  all.map(({ file, declaration }) => [`${declaration.method} ${packagesOf(file)}`, declaration] as const),
);
const declarations = IS_DEEP ? all.map(({ declaration }) => declaration) : [...kinds.values()];

async function prepared() {
  const tenant = await service();
  return { tenant, world: await sampleWorld(tenant, declarations), person: await accessToken(tenant) };
}

let stage: ReturnType<typeof prepared> | undefined;
/** All tests share the same data, because each operation is called only once. */
const prepare = () => (stage ??= prepared());

test.each(declarations.map((declaration) => [`${declaration.method} ${declaration.path}`, declaration] as const))(
  'The deployed bundle of %s responds to its sample request with success',
  async (_, declaration) => {
    const { tenant, world, person } = await prepare();
    const key = declaration.credentialKinds.includes('apiKey') ? tenant.keys.readWrite : person.value;
    const request = authorized(declaration, goodRequest(declaration, world), key);
    const { status, headers } = await send(tenant.origin, request);
    expect({ status, type: headers['content-type'] }).toEqual({
      status: declaration.success,
      type: 'application/json',
    });
  },
);
