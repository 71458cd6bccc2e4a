import { describe, expect, test } from 'vitest';
import { ACCESS_LIMITS } from '#shared/access/limits.ts';
import { createToken, hashToken } from '#shared/access/token.ts';
import { Verifier } from '#shared/access/verify.ts';
import { apiKeys } from '#shared/model/organizations/api-key.ts';
import { personalTokens } from '#shared/model/organizations/personal-token.ts';
import { NOBODY } from '#test/harness/issuer.ts';
import { token } from '#test/harness/people.ts';
import { service } from '#test/harness/service.ts';

async function container() {
  const stage = await service();
  const verifier = new Verifier(NOBODY);
  const verify = async (value: string) => {
    const table = stage.services.table.metered();
    const actor = await verifier.verify({ ...stage.services, table }, value);
    return { actor, trips: table.meter.trips };
  };
  return { stage, verify };
}

describe('The cached owner of a credential', () => {
  test('A credential is accepted as soon as it exists, even if its value was refused before', async () => {
    const { stage, verify } = await container();
    const value = createToken('apiKey');
    expect((await verify(value)).actor).toBeUndefined();
    const { organizationId } = stage;
    const hash = hashToken(value);
    const key = {
      hash,
      keyId: 'k',
      organizationId,
      label: 'CI',
      level: 'readOnly',
      lastFour: 'abcd',
      createdAt: 0,
    } as const;
    await stage.services.table.put(apiKeys, key);
    expect((await verify(value)).actor).toMatchObject({ kind: 'apiKey', organizationId });
  });

  test('A credential with a wrong checksum is refused without reading the table', async () => {
    const { verify } = await container();
    const value = createToken('apiKey');
    const mistyped = value.slice(0, -1) + (value.endsWith('0') ? '1' : '0');
    expect(await verify(mistyped)).toEqual({ actor: undefined, trips: 0 });
  });

  test('A credential that has moved to another member or organization acts for its new owner, despite the cache', async () => {
    const { stage, verify } = await container();
    const created = await token(stage);
    const another = await token(stage);
    const elsewhere = await stage.tenant();
    const foreign = await token({ ...stage, ...elsewhere });
    expect((await verify(created.value)).actor).toMatchObject({ accountId: created.owner.accountId });
    for (const [owner, organizationId] of [
      [another.owner, stage.organizationId],
      [foreign.owner, elsewhere.organizationId],
      [created.owner, stage.organizationId],
    ] as const) {
      const hash = hashToken(created.value);
      const set = [['accountId', owner.accountId] as const, ['organizationId', organizationId] as const];
      await stage.services.table.update(personalTokens, { hash }, { set });
      expect((await verify(created.value)).actor).toMatchObject({ accountId: owner.accountId, organizationId });
    }
  });

  test('The owners of only a limited number of credentials are cached', async () => {
    const { stage, verify } = await container();
    const { readOnly } = stage.keys;
    expect((await verify(readOnly)).trips).toBe(2);
    const values = Array.from({ length: ACCESS_LIMITS.cachedOwners - 1 }, () => createToken('apiKey'));
    for (let start = 0; start < values.length; start += 50)
      await Promise.all(values.slice(start, start + 50).map(verify));
    expect((await verify(readOnly)).trips).toBe(1);
    await verify(createToken('apiKey'));
    expect((await verify(readOnly)).trips).toBe(2);
    expect((await verify(readOnly)).trips).toBe(1);
  });
});
