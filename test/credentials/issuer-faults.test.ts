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
    'is out of order',
    ({ instead }) => instead.set(METADATA, (response) => void response.writeHead(500).end('{}')),
    'calls itself otherwise',
  ],
  [
    'says nothing that is JSON',
    ({ instead }) => instead.set(METADATA, (response) => void response.end('<html>')),
    'JSON',
  ],
  ['says nothing of use', ({ instead }) => instead.set(METADATA, json([])), 'calls itself otherwise'],
  ['says null', ({ instead }) => instead.set(METADATA, json(null)), 'has metadata of no known form'],
  ['says a text', ({ instead }) => instead.set(METADATA, json('metadata')), 'has metadata of no known form'],
  [
    'calls itself otherwise',
    ({ instead, issuer }) =>
      instead.set(METADATA, json({ issuer: 'https://auth.example.com', jwks_uri: `${issuer}${KEYS}` })),
    'calls itself otherwise',
  ],
  [
    'does not say where its keys are',
    ({ instead, issuer }) => instead.set(METADATA, json({ issuer })),
    'does not say where its keys are',
  ],
  [
    'says nonsense of where its keys are',
    ({ instead, issuer }) => instead.set(METADATA, json({ issuer, jwks_uri: 'keys' })),
    'does not say where its keys are',
  ],
  [
    'has a number for where its keys are',
    ({ instead, issuer }) => instead.set(METADATA, json({ issuer, jwks_uri: 7 })),
    'does not say where its keys are',
  ],
  [
    'has its keys where anybody could exchange them',
    ({ instead, issuer }) => instead.set(METADATA, json({ issuer, jwks_uri: 'http://keys.example.com/' })),
    'has its keys where anybody could exchange them',
  ],
  [
    'leads elsewhere',
    ({ instead }) => instead.set(METADATA, (response) => void response.writeHead(302, { location: KEYS }).end()),
    'JSON',
  ],
  ['has no keys', ({ instead }) => instead.set(KEYS, (response) => void response.writeHead(503).end()), '200 OK'],
  ['has keys of no known form', ({ instead }) => instead.set(KEYS, json({ keys: 'none' })), 'malformed'],
  [
    'says more than can be meant',
    ({ instead }) => instead.set(METADATA, json({ padding: 'x'.repeat(65_536) })),
    'answers with more than can be meant',
  ],
  [
    'has more keys than can be meant',
    ({ instead }) => instead.set(KEYS, json({ keys: [], padding: 'x'.repeat(65_536) })),
    'answers with more than can be meant',
  ],
  [
    'ends in the middle',
    ({ instead }) =>
      instead.set(
        KEYS,
        (response) => void response.writeHead(200, { 'content-length': 900 }).write('{', () => response.destroy()),
      ),
    'terminated',
  ],
];

describe('§5.3 An issuer', () => {
  test.each(FAULTS)(
    'that %s makes nobody’s token bad: the fault is told, and is over when it is over',
    async (name, breaks, words) => {
      const { issuer, verify } = await container();
      breaks(issuer);
      await expect(verify()).rejects.toThrow(words);
      issuer.instead.clear();
      if (name !== 'does not listen') expect(await verify()).toBe('accessToken');
    },
  );

  test('that fails while its keys are fresh takes no good token along, whatever is asked of it', async () => {
    const { issuer, good, verify } = await container();
    await verify();
    for (const path of [METADATA, KEYS]) issuer.instead.set(path, (response) => void response.writeHead(503).end());
    clock.advance(6000);
    await expect(verify(await signed(good(), await signingKey()))).rejects.toThrow('200 OK');
    expect(await verify()).toBe('accessToken');
  });

  test('may have its keys at another address that is safe', async () => {
    const { issuer, verify } = await container();
    issuer.instead.set(METADATA, json({ issuer: issuer.issuer, jwks_uri: 'https://127.0.0.1:1/keys' }));
    // Nobody is there, but it was asked.
    await expect(verify()).rejects.toThrow('https://127.0.0.1:1/keys does not answer');
  });

  test.each([METADATA, KEYS])(
    'is given three seconds, and no more, to begin and to end its answer at %s',
    async (path) => {
      const { issuer, verify } = await container();
      issuer.instead.set(path, (response) => void response.writeHead(200).write('{'));
      const began = performance.now();
      await expect(verify()).rejects.toThrow();
      expect(performance.now() - began).toBeGreaterThan(2900);
    },
  );

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
