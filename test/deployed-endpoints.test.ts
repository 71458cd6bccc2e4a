import { expect, test } from 'vitest';
import { loadDeclarations } from '#infra/build/declarations.ts';
import { token } from '#test/harness/people.ts';
import { runDeployedBundles, service } from '#test/harness/service.ts';
import { authorized, goodRequest, sampleWorld } from './engine/http/sample-requests.ts';
import { send } from './engine/http/wire.ts';

runDeployedBundles();

const declarations = (await loadDeclarations()).map(({ declaration }) => declaration);

async function prepared() {
  const tenant = await service();
  return { tenant, world: await sampleWorld(tenant), person: await token(tenant) };
}

let stage: ReturnType<typeof prepared> | undefined;
/** Each operation is called once, so one world serves all. */
const prepare = () => (stage ??= prepared());

test.each(declarations.map((declaration) => [`${declaration.method} ${declaration.path}`, declaration] as const))(
  '%s answers its sample request through its deployed bundle',
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
