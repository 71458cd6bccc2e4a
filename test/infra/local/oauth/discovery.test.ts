import { describe, expect, test } from 'vitest';
import { client } from '#test/harness/client.ts';
import { issuerOrigin } from '#test/harness/oauth.ts';
import { service } from '#test/harness/service.ts';

describe('§5.3 The metadata of the local issuer', () => {
  test.each(['oauth-authorization-server', 'openid-configuration'])(
    'at /.well-known/%s lists exactly the supported features',
    async (name) => {
      await service();
      const issuer = issuerOrigin();
      const { status, body } = await client(issuer).get(`@/.well-known/${name}`);
      expect(status).toBe(200);
      expect(body).toMatchObject({
        issuer,
        authorization_endpoint: `${issuer}/api/auth/oauth2/authorize`,
        token_endpoint: `${issuer}/api/auth/oauth2/token`,
        revocation_endpoint: `${issuer}/api/auth/oauth2/revoke`,
        jwks_uri: `${issuer}/api/auth/oauth2/jwks`,
        response_types_supported: ['code'],
        response_modes_supported: ['query'],
        grant_types_supported: ['authorization_code', 'refresh_token'],
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['none'],
        id_token_signing_alg_values_supported: ['ES256'],
        authorization_response_iss_parameter_supported: true,
      });
      for (const absent of [
        'registration_endpoint',
        'userinfo_endpoint',
        'introspection_endpoint',
        'end_session_endpoint',
      ]) {
        expect(body).not.toHaveProperty(absent);
      }
    },
  );

  test('lists the scopes of §5.3', async () => {
    await service();
    const { body } = await client(issuerOrigin()).get('@/.well-known/oauth-authorization-server');
    expect(body.scopes_supported).toEqual([
      'projects:read',
      'projects:write',
      'results:read',
      'analytics:read',
      'actions:read',
      'actions:write',
      'issues:write',
      'runs:write',
      'webhooks:read',
      'webhooks:write',
      'shares:write',
      'openid',
      'offline_access',
    ]);
  });
});
