/** Sends each operation the ids of another organization. */
import { expect, test } from 'vitest';
import { loadDeclarations } from '#infra/build/declarations.ts';
import type { Declaration } from '#shared/platform/declaration.ts';
import { authorized, goodRequest, sampleOf, sampleWorld, takesKeys } from '#test/engine/http/sample-requests.ts';
import type { Ids } from '#test/engine/http/sample-shapes.ts';
import { comparable, send } from '#test/engine/http/wire.ts';
import { accessToken } from '#test/harness/access-tokens.ts';
import { attack } from '#test/harness/attacks.ts';
import { service } from '#test/harness/service.ts';
import { linesOfOrganization } from '#test/harness/table-rows.ts';

const tried = (await loadDeclarations())
  .map(({ declaration }) => declaration)
  .filter((declaration) => declaration.credential !== 'none' && sampleOf(declaration).ids.length > 0);

async function stage() {
  const victim = await service();
  const world = await sampleWorld(victim);
  const attacker = { ...victim, ...(await victim.tenant('Other')) };
  const person = await accessToken(attacker);
  const unknown: Ids = Object.assign(
    {},
    ...Object.entries(world).map(([name, id]) => (typeof id === 'string' ? { [name]: id.replaceAll(/\w/g, '0') } : {})),
  );
  const ask = (declaration: Declaration, which: 'foreign' | 'unknown') => {
    const key = takesKeys(declaration) ? attacker.keys.readWrite : person.value;
    const ids = which === 'foreign' ? world : unknown;
    const request = goodRequest(declaration, { ...ids, keys: attacker.keys });
    return send(victim.origin, authorized(declaration, request, key));
  };
  return { victim, ask };
}

let shared: ReturnType<typeof stage> | undefined;
const world = () => (shared ??= stage());

test.each(tried.map((one) => [one.operationId, one] as const))(
  '%s answers the ids of another organization like unknown ids, and changes nothing in that organization',
  async (_, declaration) => {
    const { victim, ask } = await world();
    const before = await linesOfOrganization(victim);
    const foreign = await ask(declaration, 'foreign');
    attack('foreign ids');
    expect(foreign.status).toBe(404);
    expect(comparable(foreign)).toEqual(comparable(await ask(declaration, 'unknown')));
    expect(await linesOfOrganization(victim)).toEqual(before);
  },
);
