import { createLocalJWKSet, jwtVerify } from 'jose';
import { describe, expect, test } from 'vitest';
import { attack } from '#test/harness/attacks.ts';
import { client } from '#test/harness/client.ts';
import { authorizationPath, login, proof } from '#test/harness/own-issuer.ts';
import { member } from '#test/harness/people.ts';
import { issueOwnTokens, service } from '#test/harness/service.ts';

issueOwnTokens();

const DOCUMENTS = ['/.well-known/oauth-authorization-server', '/.well-known/openid-configuration'];

describe('The documents of the authorization server', () => {
  test('The two discovery documents are equal, and list the endpoints and the features of the authorization server', async () => {
    const { origin } = await service();
    const [first, second] = await Promise.all(DOCUMENTS.map((path) => client(origin).get(`@${path}`)));
    expect(first?.status).toBe(200);
    expect(second?.body).toEqual(first?.body);
    expect(first?.body).toMatchObject({
      issuer: origin,
      authorization_endpoint: `${origin}/api/auth/oauth2/authorize`,
      token_endpoint: `${origin}/api/auth/oauth2/token`,
      jwks_uri: `${origin}/api/auth/oauth2/jwks`,
      registration_endpoint: `${origin}/api/auth/oauth2/register`,
      revocation_endpoint: `${origin}/api/auth/oauth2/revoke`,
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['none'],
      revocation_endpoint_auth_methods_supported: ['none'],
      id_token_signing_alg_values_supported: ['ES256'],
      protected_resources: [origin, `${origin}/mcp`],
      client_id_metadata_document_supported: true,
      authorization_response_iss_parameter_supported: true,
      scopes_supported: expect.arrayContaining(['results:read', 'offline_access']),
    });
  });

  test('The metadata of both protected resources names the authorization server', async () => {
    const { origin } = await service();
    for (const path of ['', '/mcp']) {
      const { body } = await client(origin).get(`@/.well-known/oauth-protected-resource${path}`);
      expect(body).toMatchObject({ resource: `${origin}${path}`, authorization_servers: [origin] });
    }
  });

  test('The documentation that the metadata names is a page that anybody can read', async () => {
    const { origin } = await service();
    const server = await client(origin).get(`@${DOCUMENTS[0]}`);
    const resource = await client(origin).get('@/.well-known/oauth-protected-resource/mcp');
    for (const address of [server.body.service_documentation, resource.body.resource_documentation]) {
      const { status, headers } = await client(origin).get(`@${address.slice(origin.length)}`);
      expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    }
  });

  test('The JSON Web Key Set contains the public key that verifies the access tokens, and no private key', async () => {
    const stage = await service();
    const { accessToken } = await login(stage, { account: await member(stage, 'guest'), scopes: ['results:read'] });
    const published = JSON.parse((await client(stage.origin).get('@/api/auth/oauth2/jwks')).body);
    expect(published.keys).toEqual([
      {
        kty: 'EC',
        crv: 'P-256',
        alg: 'ES256',
        use: 'sig',
        kid: expect.any(String),
        x: expect.any(String),
        y: expect.any(String),
      },
    ]);
    const currentDate = new Date();
    const checks = { issuer: stage.origin, audience: stage.origin, typ: 'at+jwt', currentDate };
    const { payload } = await jwtVerify(accessToken, createLocalJWKSet(published), checks);
    expect(payload).toMatchObject({ org_id: stage.organizationId, client_id: 'rundown-cli', scope: 'results:read' });
    expect((payload.exp ?? 0) - (payload.iat ?? 0)).toBe(3600);
  });
});

/** Forwarding headers. Each set makes a false claim, such as another host, protocol, client address or path. */
const FORGED: readonly Readonly<Record<string, string>>[] = [
  { 'x-forwarded-host': 'evil.example' },
  { 'x-forwarded-host': 'evil.example, other.example', 'x-forwarded-proto': 'https' },
  { 'x-forwarded-proto': 'https' },
  { 'x-forwarded-port': '1' },
  { 'x-forwarded-prefix': '/evil' },
  { 'x-forwarded-server': 'evil.example' },
  { 'x-forwarded-for': '10.0.0.1' },
  { forwarded: 'host=evil.example;proto=https' },
  { 'x-original-url': '/api/auth/oauth2/jwks' },
  { 'x-rewrite-url': '/api/auth/oauth2/jwks' },
  { 'x-original-host': 'evil.example' },
  { via: '1.1 evil.example', 'x-forwarded-scheme': 'https' },
];

describe('Forwarding headers of a client', () => {
  test('Forwarding headers that a client sends do not change the discovery documents, authorization requests or cookies', async () => {
    const { origin } = await service();
    const { challenge } = proof();
    const asked = async (path: string, headers: Readonly<Record<string, string>>) => {
      const answer = await fetch(origin + path, { headers, redirect: 'manual' });
      const parts = [answer.headers.get('location'), ...answer.headers.getSetCookie(), await answer.text()];
      // Removes the ids of authorization requests, which are random.
      return [answer.status, ...parts.map((part) => part?.replaceAll(/[\w-]{43}/g, '<id>'))];
    };
    const paths = [...DOCUMENTS, '/api/auth/oauth2/jwks', authorizationPath(['results:read'], challenge)];
    expect(FORGED).toHaveLength(12);
    for (const path of paths) {
      attack('headers', FORGED.length);
      const honest = await asked(path, {});
      for (const headers of FORGED) expect(await asked(path, headers)).toEqual(honest);
    }
  });
});
