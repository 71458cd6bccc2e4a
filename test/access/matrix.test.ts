import { describe, expect, test } from 'vitest';
import { loadDeclarations } from '#infra/build/declarations.ts';
import { Verifier } from '#shared/access/verify.ts';
import type { Declaration } from '#shared/platform/declaration.ts';
import { authorized, goodRequest, sampleWorld, sharedWorld } from '#test/engine/http/sample-requests.ts';
import { send, type WireAnswer } from '#test/engine/http/wire.ts';
import { attack } from '#test/harness/attacks.ts';
import { sampled } from '#test/harness/cases.ts';
import { NOBODY } from '#test/harness/issuer.ts';
import { service } from '#test/harness/service.ts';
import { ACCESS_TOKEN_STATES } from './access-token-states.ts';
import { FORGERIES } from './forgeries.ts';
import { type Expected, expectedOf, NEEDS, type Rights } from './oracle.ts';
import { STATES as STORED } from './states.ts';

const STATES = [...STORED, ...ACCESS_TOKEN_STATES];

const declarations = (await loadDeclarations())
  .map(({ declaration }) => declaration)
  .filter(({ credential }) => credential !== 'none');

function seen({ status, body, headers }: WireAnswer): Expected | { readonly status: number } {
  if (status !== 403) return { status };
  return { status, code: JSON.parse(body.toString()).code, challenge: headers['www-authenticate'] };
}

test('The permission oracle covers exactly the declared operations that need a credential', () => {
  expect(Object.keys(NEEDS).sort()).toEqual(declarations.map(({ operationId }) => operationId).sort());
  expect(STATES.length).toBeGreaterThanOrEqual(35);
  expect(FORGERIES.length).toBeGreaterThanOrEqual(20);
});

test('Each operation declares the permission that the permission oracle expects', () => {
  const others: Readonly<Record<string, string>> = { 'me:read': 'a user', 'signatures:read': 'any credential' };
  const declared = declarations.map(({ operationId, permission }) => [operationId, others[permission] ?? permission]);
  expect(Object.fromEntries(declared)).toEqual(NEEDS);
});

/**
 * The step by which `npm test` samples the operations for each kind of credential: 30 means every 30th operation. A
 * sample is enough, because the test above compares the declared permission of every operation with the oracle. Invalid
 * credentials need the fewest operations, because one authorizer refuses them for all operations. API keys need the
 * most, because few rows of the matrix are about API keys.
 */
const STEPS: Readonly<Record<Rights['is'], number>> = { nobody: 30, key: 4, token: 6, accessToken: 10 };
const triedWith = ({ is }: Rights, row: number): readonly Declaration[] => sampled(declarations, STEPS[is], row);

test('The sample of requests covers every operation with valid and with invalid credentials', () => {
  const reached = (isValid: boolean) => {
    const rows = STATES.map(({ rights }, row) => ((rights.is !== 'nobody') === isValid ? triedWith(rights, row) : []));
    return new Set(rows.flat());
  };
  for (const isValid of [true, false]) expect([...reached(isValid)]).toHaveLength(declarations.length);
});

test('The sample of requests covers every response that the permission oracle predicts for each kind of credential', () => {
  const answersTo = (operations: (rights: Rights, row: number) => readonly Declaration[]) =>
    STATES.flatMap(({ rights }, row) =>
      operations(rights, row).map(({ operationId }) => JSON.stringify([rights.is, expectedOf(rights, operationId)])),
    );
  expect(new Set(answersTo(triedWith))).toEqual(new Set(answersTo(() => declarations)));
});

describe('§5 Operations', () => {
  test.each(STATES.map((state, row) => [state.name, state, row] as const))(
    'A sample of the operations responds to %s as the permission oracle predicts',
    async (_, { rights, make, isHarmless }, row) => {
      const refusals = await sharedWorld();
      const isServed = ({ operationId }: Declaration) => expectedOf(rights, operationId).status < 300;
      const tried = triedWith(rights, row);
      const served = tried.filter(isServed);
      const changes = served.some(({ method }) => method !== 'GET');
      const stage = isHarmless && !changes ? refusals.tenant : await service();
      const own = stage === refusals.tenant ? refusals.world : await sampleWorld(stage, served);
      const credential = await make(stage);
      const cells = tried.map(async (declaration) => {
        const request = goodRequest(declaration, isServed(declaration) ? own : refusals.world);
        return [
          declaration.operationId,
          seen(await send(stage.origin, authorized(declaration, request, credential))),
        ] as const;
      });
      const attempts = tried.length - served.length;
      if (rights.is === 'nobody') attack('unusable credentials', attempts);
      else attack('permissions', attempts);
      const expected = tried.map(({ operationId }) => [operationId, expectedOf(rights, operationId)]);
      expect(Object.fromEntries(await Promise.all(cells))).toEqual(Object.fromEntries(expected));
    },
  );
});

interface Refusal {
  readonly name: string;
  readonly value: string;
  readonly spent: readonly string[];
}

/** Measures the cost of the first and the second refusal, for every invalid state of an API key or personal token. */
async function measured(): Promise<Refusal[]> {
  const found: Refusal[] = [];
  for (const { name, make, isHarmless } of STORED.filter(({ rights }) => rights.is === 'nobody')) {
    const stage = isHarmless ? (await sharedWorld()).tenant : await service();
    const value = await make(stage);
    const verifier = new Verifier(NOBODY);
    const refuse = async () => {
      const table = stage.services.table.metered();
      expect(await verifier.verify({ ...stage.services, table }, value), name).toBeUndefined();
      const { trips, readUnits, writeUnits } = table.meter;
      return `${trips} trips, ${readUnits} read units, ${writeUnits} write units`;
    };
    found.push({ name, value, spent: [await refuse(), await refuse()] });
  }
  return found;
}

let refusals: ReturnType<typeof measured> | undefined;
const costs = () => (refusals ??= measured());

describe('§5.4 A refused, well-formed credential', () => {
  test.each([
    [
      'personal token',
      /^rdn_pat_\w{42}$/,
      9,
      ['2 trips, 3 read units, 0 write units', '1 trips, 3 read units, 0 write units'],
    ],
    [
      'API key',
      /^rdn_key_\w{42}$/,
      3,
      ['2 trips, 2 read units, 0 write units', '1 trips, 2 read units, 0 write units'],
    ],
  ] as const)(
    'Refusing a well-formed %s costs the same number of reads, whatever the reason',
    async (_, form, causes, cost) => {
      const ofKind = (await costs()).filter(({ value }) => form.test(value));
      const wellFormed = ofKind.filter(({ spent: [first] }) => !first?.startsWith('0 trips'));
      expect(wellFormed.length).toBeGreaterThanOrEqual(causes);
      for (const { name, spent } of wellFormed) expect(spent, name).toEqual(cost);
    },
  );
});

describe('§5 The cost of a valid credential', () => {
  test.each([
    ['a Read Only key', 2],
    ['a token with every permission', 3],
    ['an access token of the role admin with every scope except shares:write', 2],
  ])(
    'Checking %s costs %s consistent reads in one round trip once the owner of the credential is cached',
    async (name, readUnits) => {
      const stage = await service();
      const state = STATES.find((known) => known.name === name);
      const value = (await state?.make(stage)) ?? '';
      const verifier = new Verifier({ issuer: stage.issuer.issuer, audience: stage.origin, isOwn: false });
      await verifier.verify(stage.services, value);
      const table = stage.services.table.metered();
      expect(await verifier.verify({ ...stage.services, table }, value)).toBeDefined();
      expect(table.meter).toMatchObject({ trips: 1, readUnits, writeUnits: 0 });
    },
  );
});
