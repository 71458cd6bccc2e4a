import { describe, expect, onTestFinished, test } from 'vitest';
import { client } from '#test/harness/client.ts';
import { claimsOf, json, KEYS, METADATA, signed, signingKey, type TestIssuer } from '#test/harness/issuer.ts';
import { member } from '#test/harness/people.ts';
import { clock, service } from '#test/harness/service.ts';
import { container } from './container.ts';

const MINUTE = 60_000;

const FAULTS: readonly (readonly [string, (issuer: TestIssuer) => void, string])[] = [
  ['does not listen', ({ close }) => void close(), 'does not answer'],
  [
    'has no metadata',
    ({ instead }) => instead.set(METADATA, (response) => void response.writeHead(404).end()),
    'has no metadata document',
  ],
  [
    'returns 500 instead of its metadata',
    ({ instead }) => instead.set(METADATA, (response) => void response.writeHead(500).end('{}')),
    'has the metadata of another issuer',
  ],
  [
    'returns metadata that is not JSON',
    ({ instead }) => instead.set(METADATA, (response) => void response.end('<html>')),
    'JSON',
  ],
  [
    'returns an empty list as metadata',
    ({ instead }) => instead.set(METADATA, json([])),
    'has the metadata of another issuer',
  ],
  ['returns null as metadata', ({ instead }) => instead.set(METADATA, json(null)), 'has invalid metadata'],
  ['returns a string as metadata', ({ instead }) => instead.set(METADATA, json('metadata')), 'has invalid metadata'],
  [
    'has the metadata of another issuer',
    ({ instead, issuer }) =>
      instead.set(METADATA, json({ issuer: 'https://auth.example.com', jwks_uri: `${issuer}${KEYS}` })),
    'has the metadata of another issuer',
  ],
  [
    'has metadata without a jwks_uri',
    ({ instead, issuer }) => instead.set(METADATA, json({ issuer })),
    'has metadata without a valid jwks_uri',
  ],
  [
    'has an invalid jwks_uri',
    ({ instead, issuer }) => instead.set(METADATA, json({ issuer, jwks_uri: 'keys' })),
    'has metadata without a valid jwks_uri',
  ],
  [
    'has a number as jwks_uri',
    ({ instead, issuer }) => instead.set(METADATA, json({ issuer, jwks_uri: 7 })),
    'has metadata without a valid jwks_uri',
  ],
  [
    'serves its keys from another origin without https',
    ({ instead, issuer }) => instead.set(METADATA, json({ issuer, jwks_uri: 'http://keys.example.com/' })),
    'serves its keys from another origin without https',
  ],
  [
    'redirects',
    ({ instead }) => instead.set(METADATA, (response) => void response.writeHead(302, { location: KEYS }).end()),
    'JSON',
  ],
  [
    'returns 503 instead of its keys',
    ({ instead }) => instead.set(KEYS, (response) => void response.writeHead(503).end()),
    '200 OK',
  ],
  ['has keys in an unknown format', ({ instead }) => instead.set(KEYS, json({ keys: 'none' })), 'malformed'],
  [
    'sends too much metadata',
    ({ instead }) => instead.set(METADATA, json({ padding: 'x'.repeat(65_536) })),
    'sent a response above the size limit',
  ],
  [
    'sends too many keys',
    ({ instead }) => instead.set(KEYS, json({ keys: [], padding: 'x'.repeat(65_536) })),
    'sent a response above the size limit',
  ],
  [
    'ends its response early',
    ({ instead }) =>
      instead.set(
        KEYS,
        (response) => void response.writeHead(200, { 'content-length': 900 }).write('{', () => response.destroy()),
      ),
    'terminated',
  ],
];

describe('§5.3 An external token issuer', () => {
  test.each(FAULTS)(
    'An issuer that %s causes an error instead of the refusal of its tokens, until it recovers',
    async (name, breaks, words) => {
      const { issuer, verify } = await container();
      breaks(issuer);
      await expect(verify()).rejects.toThrow(words);
      issuer.instead.clear();
      if (name !== 'does not listen') expect(await verify()).toBe('accessToken');
    },
  );

  test('While the issuer fails, tokens signed with a cached key are accepted, and a token with a new key causes an error', async () => {
    const { issuer, good, verify } = await container();
    await verify();
    for (const path of [METADATA, KEYS]) issuer.instead.set(path, (response) => void response.writeHead(503).end());
    clock.advance(6000);
    await expect(verify(await signed(good(), await signingKey()))).rejects.toThrow('200 OK');
    expect(await verify()).toBe('accessToken');
  });

  test('An external token issuer may serve its keys from another https origin', async () => {
    const { issuer, verify } = await container();
    issuer.instead.set(METADATA, json({ issuer: issuer.issuer, jwks_uri: 'https://127.0.0.1:1/keys' }));
    // The address in the error proves that the service tried to fetch the keys from there.
    await expect(verify()).rejects.toThrow('https://127.0.0.1:1/keys does not answer');
  });

  test.each([METADATA, KEYS])(
    'A response of the external token issuer at %s that never ends causes an error, but not in the first 2.9 seconds',
    async (path) => {
      const { issuer, verify } = await container();
      issuer.instead.set(path, (response) => void response.writeHead(200).write('{'));
      const began = performance.now();
      await expect(verify()).rejects.toThrow();
      expect(performance.now() - began).toBeGreaterThan(2900);
    },
  );

  test('A failing issuer causes a 503 with a JSON error for access tokens, but does not affect API keys', async () => {
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
