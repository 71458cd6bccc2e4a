import { describe, expect, test } from 'vitest';
import { connectVerifier } from '#shared/platform/connect.ts';
import type { Services } from '#shared/services.ts';
import { claimsOf, json, KEYS, METADATA, signed, signingKey, type TestIssuer } from '#test/harness/issuer.ts';
import { clock, service } from '#test/harness/service.ts';
import { container } from './container.ts';

const MINUTE = 60_000;

/** Publishes a new key beside the old one, as authorization servers do. */
async function rotate(issuer: TestIssuer): Promise<void> {
  issuer.key = await signingKey();
  issuer.keys = [...issuer.keys, issuer.key.publicJwk];
}

const asked = ({ asked }: TestIssuer, path: string): number => asked.filter((url) => url === path).length;

describe('§5.3 The issuer’s keys', () => {
  test('The issuer’s keys are fetched once for many tokens', async () => {
    const { issuer, verify } = await container();
    expect(await Promise.all(Array.from({ length: 20 }, () => verify()))).toEqual(Array(20).fill('accessToken'));
    await verify();
    expect(issuer.asked).toEqual([METADATA, KEYS]);
  });

  test('The issuer’s keys are fetched again for a token with a new key', async () => {
    const { issuer, verify } = await container();
    await verify();
    await rotate(issuer);
    clock.advance(5000);
    expect(await verify()).toBe('accessToken');
    expect(asked(issuer, KEYS)).toBe(2);
  });

  test('The issuer’s keys are no longer accepted ten minutes after the issuer has withdrawn them', async () => {
    const { issuer, verify } = await container();
    const { key: withdrawn } = issuer;
    await verify();
    await rotate(issuer);
    issuer.keys = [issuer.key.publicJwk];
    clock.advance(10 * MINUTE);
    issuer.key = withdrawn;
    expect(await verify()).toBeUndefined();
  });

  test('The issuer’s keys are fetched at most once every five seconds, even if many tokens name unknown keys', async () => {
    const { issuer, good, verify } = await container();
    await verify();
    const stranger = await signingKey();
    for (let second = 0; second < 10; second += 1) {
      const tokens = Array.from({ length: 10 }, () => signed(good(), stranger, { kid: crypto.randomUUID() }));
      expect(new Set(await Promise.all((await Promise.all(tokens)).map(verify)))).toEqual(new Set([undefined]));
      clock.advance(1000);
    }
    expect(asked(issuer, KEYS)).toBeLessThanOrEqual(3);
  });

  test('The issuer’s keys may use RSA, elliptic curves or Ed25519', async () => {
    const { issuer, good, verify } = await container();
    for (const alg of [
      'RS256',
      'RS384',
      'RS512',
      'PS256',
      'PS384',
      'PS512',
      'ES256',
      'ES384',
      'ES512',
      'EdDSA',
      'Ed25519',
    ]) {
      const key = await signingKey(alg);
      issuer.keys = [...issuer.keys, key.publicJwk];
      clock.advance(5000);
      expect(await verify(await signed(good(), key)), alg).toBe('accessToken');
    }
  });

  test('The issuer’s keys are found through OpenID Connect metadata if there is no RFC 8414 metadata', async () => {
    const { issuer, verify } = await container();
    issuer.instead.set(METADATA, (response) => void response.writeHead(404).end());
    const metadata = { issuer: issuer.issuer, jwks_uri: `${issuer.issuer}${KEYS}` };
    issuer.instead.set('/.well-known/openid-configuration', json(metadata));
    expect(await verify()).toBe('accessToken');
  });
});

describe('§5.3 A service without an external issuer', () => {
  test('A service without an external issuer accepts no tokens of other issuers, and contacts no issuer', async () => {
    const { services, issuer, origin, organizationId } = await service();
    const verifier = connectVerifier({ PUBLIC_ORIGIN: origin })();
    const value = await signed(claimsOf(issuer, { origin, organizationId }, 'anybody'), issuer.key);
    const before = issuer.asked.length;
    expect(await verifier.verify(metered(services), value)).toBeUndefined();
    expect(issuer.asked.length).toBe(before);
  });
});

const metered = (services: Services): Services => ({ ...services, table: services.table.metered() });
