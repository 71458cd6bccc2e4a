import { describe, expect, onTestFinished, test } from 'vitest';
import type { Services } from '#shared/services.ts';
import { connectVerifier } from '#shared/services.ts';
import { client } from '#test/harness/client.ts';
import {
  claimsOf,
  json,
  KEYS,
  METADATA,
  signed,
  signingKey,
  startTestIssuer,
  type TestIssuer,
} from '#test/harness/issuer.ts';
import { member } from '#test/harness/people.ts';
import { clock, service } from '#test/harness/service.ts';

const MINUTE = 60_000;

/** A container of its own, which knows nothing of the issuer yet. */
async function container(audience = 'https://results.example.com') {
  const stage = await service();
  const issuer = await startTestIssuer();
  onTestFinished(issuer.close);
  const { accountId } = await member(stage, 'member');
  const verifier = connectVerifier({ OAUTH_ISSUER: issuer.issuer, PUBLIC_ORIGIN: audience })();
  const good = () => claimsOf(issuer, { origin: audience, organizationId: stage.organizationId }, accountId);
  const verify = async (value?: string) =>
    (await verifier.verify(stage.services, value ?? (await signed(good(), issuer.key))))?.kind;
  return { ...stage, issuer, good, verify };
}

/** As an authorization server does: the new key is published beside the old one. */
async function rotate(issuer: TestIssuer): Promise<void> {
  issuer.key = await signingKey();
  issuer.keys = [...issuer.keys, issuer.key.publicJwk];
}

const asked = ({ asked }: TestIssuer, path: string): number => asked.filter((url) => url === path).length;

describe('§5.3 The issuer’s keys', () => {
  test('are asked for once, however many tokens come', async () => {
    const { issuer, verify } = await container();
    expect(await Promise.all(Array.from({ length: 20 }, () => verify()))).toEqual(Array(20).fill('accessToken'));
    await verify();
    expect(issuer.asked).toEqual([METADATA, KEYS]);
  });

  test('are found anew when a token is signed with a new one', async () => {
    const { issuer, verify } = await container();
    await verify();
    await rotate(issuer);
    clock.advance(5000);
    expect(await verify()).toBe('accessToken');
    expect(asked(issuer, KEYS)).toBe(2);
  });

  test('are forgotten within ten minutes of being withdrawn', async () => {
    const { issuer, verify } = await container();
    const { key: withdrawn } = issuer;
    await verify();
    await rotate(issuer);
    issuer.keys = [issuer.key.publicJwk];
    clock.advance(10 * MINUTE);
    issuer.key = withdrawn;
    expect(await verify()).toBeUndefined();
  });

  test('are looked up at most once in five seconds, however many tokens name keys there are not', async () => {
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

  test('may be of any asymmetric kind', async () => {
    const { issuer, good, verify } = await container();
    for (const alg of ['RS256', 'PS256', 'ES384', 'EdDSA']) {
      const key = await signingKey(alg);
      issuer.keys = [...issuer.keys, key.publicJwk];
      clock.advance(5000);
      expect(await verify(await signed(good(), key)), alg).toBe('accessToken');
    }
  });

  test('are found through the metadata of OpenID Connect where RFC 8414 has none', async () => {
    const { issuer, verify } = await container();
    issuer.instead.set(METADATA, (response) => void response.writeHead(404).end());
    const metadata = { issuer: issuer.issuer, jwks_uri: `${issuer.issuer}${KEYS}` };
    issuer.instead.set('/.well-known/openid-configuration', json(metadata));
    expect(await verify()).toBe('accessToken');
  });
});

describe('§5.3 An issuer', () => {
  const NEITHER: Readonly<Record<string, (issuer: TestIssuer) => void>> = {
    'does not listen': ({ close }) => void close(),
    'has no metadata': ({ instead }) => instead.set(METADATA, (response) => void response.writeHead(404).end()),
    'is out of order': ({ instead }) => instead.set(METADATA, (response) => void response.writeHead(500).end('{}')),
    'says nothing that is JSON': ({ instead }) => instead.set(METADATA, (response) => void response.end('<html>')),
    'says nothing of use': ({ instead }) => instead.set(METADATA, json([])),
    'calls itself otherwise': ({ instead, issuer }) =>
      instead.set(METADATA, json({ issuer: 'https://auth.example.com', jwks_uri: `${issuer}${KEYS}` })),
    'has its keys where anybody could exchange them': ({ instead, issuer }) =>
      instead.set(METADATA, json({ issuer, jwks_uri: 'http://keys.example.com/' })),
    'leads elsewhere': ({ instead }) =>
      instead.set(METADATA, (response) => void response.writeHead(302, { location: KEYS }).end()),
    'has no keys': ({ instead }) => instead.set(KEYS, (response) => void response.writeHead(503).end()),
    'has keys of no known form': ({ instead }) => instead.set(KEYS, json({ keys: 'none' })),
    'says more than can be meant': ({ instead }) => instead.set(METADATA, json({ padding: 'x'.repeat(65_536) })),
    'has more keys than can be meant': ({ instead }) =>
      instead.set(KEYS, json({ keys: [], padding: 'x'.repeat(65_536) })),
    'ends in the middle': ({ instead }) =>
      instead.set(
        KEYS,
        (response) => void response.writeHead(200, { 'content-length': 900 }).write('{', () => response.destroy()),
      ),
  };

  test.each(Object.entries(NEITHER))(
    'that %s makes nobody’s token bad: the fault is told, and is over when it is over',
    async (_, breaks) => {
      const { issuer, verify } = await container();
      breaks(issuer);
      await expect(verify()).rejects.toThrow();
      issuer.instead.clear();
      if (_ !== 'does not listen') expect(await verify()).toBe('accessToken');
    },
  );

  test('is given three seconds, and no more, to begin and to end', async () => {
    const { issuer, verify } = await container();
    issuer.instead.set(METADATA, (response) => void response.writeHead(200).write('{'));
    const began = performance.now();
    await expect(verify()).rejects.toThrow();
    expect(performance.now() - began).toBeGreaterThan(2900);
  });

  test('is 503 at the gateway, in the shape of §7, for access tokens and for nothing else', async () => {
    const stage = await service();
    const { issuer, origin, organizationId, reader } = stage;
    const { accountId } = await member(stage, 'member');
    const claims = claimsOf(issuer, { origin, organizationId }, accountId);
    for (const path of [METADATA, KEYS]) issuer.instead.set(path, (response) => void response.writeHead(500).end());
    onTestFinished(() => issuer.instead.clear());
    clock.advance(11 * MINUTE);
    const key = await signingKey();
    const answer = await client(origin, await signed(claims, key)).get('/projects');
    expect(answer).toMatchObject({ status: 503, body: { status: 'FAILED' } });
    expect((await reader.get('/projects')).status).toBe(200);
  });
});

describe('§5.3 Without an issuer', () => {
  test('no access token is accepted, and none is asked about', async () => {
    const { services, issuer, origin, organizationId } = await service();
    const verifier = connectVerifier({ PUBLIC_ORIGIN: origin })();
    const value = await signed(claimsOf(issuer, { origin, organizationId }, 'anybody'), issuer.key);
    const before = issuer.asked.length;
    expect(await verifier.verify(metered(services), value)).toBeUndefined();
    expect(issuer.asked.length).toBe(before);
  });
});

const metered = (services: Services): Services => ({ ...services, table: services.table.metered() });
