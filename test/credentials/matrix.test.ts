import { describe, expect, test } from 'vitest';
import { loadDeclarations } from '#infra/declarations.ts';
import { verifyCredential } from '#shared/credentials/verify.ts';
import { service } from '#test/harness/service.ts';
import { authorized, goodRequest, sampleWorld } from '#test/http/sample-requests.ts';
import { send, type WireAnswer } from '#test/http/wire.ts';
import { ASKS, type Expected, expectedOf } from './oracle.ts';
import { STATES } from './states.ts';

const declarations = (await loadDeclarations())
  .map(({ declaration }) => declaration)
  .filter(({ credential }) => credential !== 'none');

function seen({ status, body, headers }: WireAnswer): Expected | { readonly status: number } {
  if (status !== 403) return { status };
  return { status, code: JSON.parse(body.toString()).code, challenge: headers['www-authenticate'] };
}

test('the oracle knows every operation, and no other', () => {
  expect(Object.keys(ASKS).sort()).toEqual(declarations.map(({ operationId }) => operationId).sort());
  expect(STATES.length).toBeGreaterThanOrEqual(35);
});

describe('§5 Every operation', () => {
  test.each(STATES.map((state) => [state.name, state] as const))(
    'with %s answers as the oracle says',
    async (_, state) => {
      const stage = await service();
      const world = await sampleWorld(stage);
      const credential = await state.make(stage);
      const cells = declarations.map(async (declaration) => {
        const answer = await send(stage.origin, authorized(declaration, goodRequest(declaration, world), credential));
        return [declaration.operationId, seen(answer)] as const;
      });
      const expected = declarations.map(({ operationId }) => [operationId, expectedOf(state.rights, operationId)]);
      expect(Object.fromEntries(await Promise.all(cells))).toEqual(Object.fromEntries(expected));
    },
  );
});

describe('§5.4 A well-formed credential that is refused', () => {
  test('costs the same reads whatever is wrong with it', async () => {
    const costs = new Map<string, string>();
    for (const state of STATES.filter(({ rights }) => rights.is === 'nobody')) {
      const stage = await service();
      const value = await state.make(stage);
      if (!/^rdn_(key|pat)_\w{42}$/.test(value)) continue;
      const table = stage.services.table.metered();
      expect(await verifyCredential({ ...stage.services, table }, value), state.name).toBeUndefined();
      const { trips, readUnits, writeUnits } = table.meter;
      costs.set(state.name, `${trips} trips, ${readUnits} read units, ${writeUnits} write units`);
    }
    const wellFormed = [...costs].filter(([, cost]) => !cost.startsWith('0 trips'));
    expect(wellFormed.length).toBeGreaterThanOrEqual(9);
    expect(new Set(wellFormed.map(([, cost]) => cost))).toEqual(new Set(['3 trips, 3 read units, 0 write units']));
  });
});
