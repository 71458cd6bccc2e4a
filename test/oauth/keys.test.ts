import { describe, expect, test } from 'vitest';
import { remove } from '#shared/engine/table/writes.ts';
import { issuerKeys } from '#shared/model/oauth/issuer-keys.ts';
import { publishKeys } from '#shared/oauth/publish-keys.ts';
import { makeServices as connect, connectVerifier } from '#shared/platform/connect.ts';
import { login } from '#test/harness/own-issuer.ts';
import { member } from '#test/harness/people.ts';
import { clock, issueOwnTokens, service } from '#test/harness/service.ts';

issueOwnTokens();

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** Made-up signing keys, with ids that KMS does not know. */
const signing = (...ids: readonly string[]) => ({
  ids,
  publicPointOf: async (id: string) => ({ x: `x of ${id}`, y: `y of ${id}` }),
});

async function stageWithoutKeys() {
  const stage = await service();
  await stage.services.table.writeMany([remove(issuerKeys, {})]);
  return stage.services;
}

describe('The keys of the authorization server', () => {
  test('Signing keys are published immediately, but a new key signs tokens only after a day', async () => {
    const services = await stageWithoutKeys();
    expect((await publishKeys(services, signing('a'))).signer.keyId).toBe('a');
    clock.advance(HOUR);
    const both = await publishKeys(services, signing('a', 'b'));
    expect(both.keys.map(({ keyId }) => keyId)).toEqual(['a', 'b']);
    expect(both.signer.keyId).toBe('a');
    clock.advance(DAY - 1);
    expect((await publishKeys(services, signing('a', 'b'))).signer.keyId).toBe('a');
    clock.advance(1);
    expect((await publishKeys(services, signing('a', 'b'))).signer.keyId).toBe('b');
  });

  test('Removed signing keys stay published for two hours, but sign no token', async () => {
    const services = await stageWithoutKeys();
    await publishKeys(services, signing('a', 'b'));
    const after = await publishKeys(services, signing('b'));
    expect([after.keys.length, after.signer.keyId]).toEqual([2, 'b']);
    clock.advance(2 * HOUR - 1);
    expect((await publishKeys(services, signing('b'))).keys).toHaveLength(2);
    clock.advance(1);
    expect((await publishKeys(services, signing('b'))).keys.map(({ keyId }) => keyId)).toEqual(['b']);
  });

  test('Ten function instances that start at the same time publish the same signing keys', async () => {
    const services = await stageWithoutKeys();
    await Promise.all(Array.from({ length: 10 }, () => publishKeys(services, signing('a', 'b'))));
    expect((await publishKeys(services, signing('a', 'b'))).keys).toHaveLength(2);
  });

  test('Publishing without any signing key fails, and the error says to add one to the template', async () => {
    const services = await stageWithoutKeys();
    await expect(publishKeys(services, signing())).rejects.toThrow('Add one to the template');
  });
});

test('Twenty forged tokens with an unknown key id make an authorizer fetch the keys only once, and it still accepts valid tokens', async () => {
  const stage = await service();
  const { accessToken } = await login(stage, { account: await member(stage, 'member'), scopes: ['results:read'] });
  const verifier = connectVerifier({ ...stage.environment, OAUTH_ISSUER: undefined })();
  const own = connect({ ...stage.environment, OAUTH_ISSUER: undefined });
  const [head = '', claims = '', signature = ''] = accessToken.split('.');
  const forgedHead = Buffer.from(
    JSON.stringify({ ...JSON.parse(Buffer.from(head, 'base64url').toString()), kid: 'other' }),
  );
  const forged = `${forgedHead.toString('base64url')}.${claims}.${signature}`;
  expect(await verifier.verify(own, accessToken)).toMatchObject({ kind: 'accessToken' });
  clock.advance(6000);
  const trips: number[] = [];
  for (let time = 0; time < 20; time += 1) {
    const table = own.table.metered();
    expect(await verifier.verify({ ...own, table }, forged)).toBeUndefined();
    trips.push(table.meter.trips);
  }
  expect(trips.reduce((one, other) => one + other)).toBe(1);
  expect(await verifier.verify(own, accessToken)).toMatchObject({ kind: 'accessToken' });
});
