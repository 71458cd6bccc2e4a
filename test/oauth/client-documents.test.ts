import type { LookupFunction } from 'node:net';
import { describe, expect, test } from 'vitest';
import { fetchGuarded } from '#shared/oauth/fetch-guarded.ts';
import { attack } from '#test/harness/attacks.ts';
import { authorizationPath, login, proof, refresh, tokensIn } from '#test/harness/own-issuer.ts';
import { member } from '#test/harness/people.ts';
import { acceptLocalClients, clock, issueOwnTokens, service } from '#test/harness/service.ts';
import { visitor } from '#test/harness/visitor.ts';
import { target } from '#test/webhooks/target.ts';
import { lookupOf, tricks } from '#test/webhooks/tricks.ts';
import { type ClientHost, clientHost } from './client-host.ts';

issueOwnTokens();
acceptLocalClients();

const HOUR = 3_600_000;

const askAs = async (origin: string, { clientId }: Pick<ClientHost, 'clientId'>, more: Record<string, string> = {}) =>
  visitor(origin).get(authorizationPath(['results:read'], proof().challenge, { client_id: clientId, ...more }));

describe('A client with a metadata document', () => {
  test('A client gets tokens and renews them, and its metadata document is fetched at most once an hour', async () => {
    const stage = await service();
    const host = await clientHost();
    const account = await member(stage, 'member');
    const { clientId } = host;
    const tokens = await login(stage, {
      account,
      clientId,
      scopes: ['projects:read', 'offline_access'],
      resource: stage.origin,
    });
    expect((await tokens.api.get('/projects')).status).toBe(200);
    const renewed = tokensIn(stage, await refresh(stage, tokens.refreshToken, { client_id: clientId }));
    expect(host.reads()).toBe(1);
    clock.advance(HOUR + 1000);
    tokensIn(stage, await refresh(stage, renewed.refreshToken, { client_id: clientId }));
    expect(host.reads()).toBe(2);
  });

  test('A client can renew its tokens for only a day while the host of its metadata document is down', async () => {
    const stage = await service();
    const host = await clientHost();
    const account = await member(stage, 'member');
    const { clientId } = host;
    const tokens = await login(stage, { account, clientId, scopes: ['projects:read', 'offline_access'] });
    host.isDown = true;
    clock.advance(HOUR + 1000);
    const renewed = tokensIn(stage, await refresh(stage, tokens.refreshToken, { client_id: clientId }));
    const sooner = tokensIn(stage, await refresh(stage, renewed.refreshToken, { client_id: clientId }));
    expect(host.reads()).toBe(2);
    clock.advance(20 * HOUR);
    const again = tokensIn(stage, await refresh(stage, sooner.refreshToken, { client_id: clientId }));
    expect(host.reads()).toBe(3);
    clock.advance(5 * HOUR);
    const refused = await refresh(stage, again.refreshToken, { client_id: clientId });
    expect([refused.status, refused.body.error]).toEqual([400, 'invalid_client']);
    host.isDown = false;
    clock.advance(61_000);
    tokensIn(stage, await refresh(stage, again.refreshToken, { client_id: clientId }));
  });

  test('A metadata document is cached for only a day if its Cache-Control header allows more', async () => {
    const stage = await service();
    const host = await clientHost();
    host.headers = { 'cache-control': 'public, max-age=9999999' };
    await askAs(stage.origin, host);
    clock.advance(23 * HOUR);
    await askAs(stage.origin, host);
    expect(host.reads()).toBe(1);
    clock.advance(2 * HOUR);
    await askAs(stage.origin, host);
    expect(host.reads()).toBe(2);
  });

  test('Unneeded properties of a metadata document, such as scope and logo_uri, are ignored, even with invalid values', async () => {
    const { origin } = await service();
    const host = await clientHost();
    host.document = {
      ...host.document,
      scope: 'results:read',
      logo_uri: 'http://169.254.169.254/',
      jwks_uri: 'x',
      y: [],
    };
    expect((await askAs(origin, host)).status).toBe(303);
  });

  test('A redirect URI may lack a path, and its host may be in upper case', async () => {
    const { origin } = await service();
    const host = await clientHost();
    host.document = { ...host.document, redirect_uris: ['http://LOCALHOST:3000'] };
    expect((await askAs(origin, host, { redirect_uri: 'http://LocalHost:3000' })).status).toBe(303);
  });

  test.each([
    ['of another client', { client_id: 'https://other.example/client.json' }],
    ['with a secret', { client_secret: 'x' }],
    ['of a client that authenticates', { token_endpoint_auth_method: 'client_secret_basic' }],
    ['with a redirect URI to a private address', { redirect_uris: ['http://10.0.0.1/callback'] }],
    ['with a wildcard in its redirect URI', { redirect_uris: ['https://app.example/*'] }],
    ['with a user in its redirect URI', { redirect_uris: ['https://app.example@evil.example/'] }],
    ['with a backslash in its redirect URI', { redirect_uris: ['https://app.example\\evil.example/'] }],
    ['without a redirect URI', { redirect_uris: [] }],
    ['above 5 KB', { client_name: 'x'.repeat(6000) }],
  ])('A metadata document %s is refused with an error page, without a redirect', async (_, more) => {
    const { origin } = await service();
    const host = await clientHost();
    host.document = { ...host.document, ...more };
    const answer = await askAs(origin, host);
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('invalid_client');
  });
});

describe('The address of a document', () => {
  test.each(tricks())('A metadata document is not fetched from an address inside the network: $name', async (trick) => {
    const inside = await target();
    attack('inside addresses');
    const network = { privateReceivers: 'none', lookup: lookupOf(trick), anyPort: true } as const;
    expect(await fetchGuarded(trick.url(inside.port), network)).toBeUndefined();
    expect(inside.reached()).toBe(0);
  });

  test('The address of a metadata document must use https and the standard port', async () => {
    const lookedUp: string[] = [];
    const lookup: LookupFunction = (host, _, done) => {
      lookedUp.push(host);
      done(new Error('No host has this name'), []);
    };
    const get = (address: string) => fetchGuarded(address, { privateReceivers: 'none', lookup });
    for (const address of ['http://client.example/a', 'https://client.example:8443/a', 'ftp://client.example/a', 'x'])
      expect(await get(address)).toBeUndefined();
    expect(lookedUp).toEqual([]);
    for (const address of ['https://client.example/a', 'https://client.example:443/a']) await get(address);
    expect(lookedUp).toEqual(['client.example', 'client.example']);
  });
});
