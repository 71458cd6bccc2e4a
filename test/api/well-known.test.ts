import { describe, expect, test } from 'vitest';
import { service } from '#test/harness/service.ts';

const PATH = '/.well-known/oauth-protected-resource';

describe('§4.5 Discovery of the authorization server', () => {
  test('A 401 response names the metadata of the MCP server and the scopes that an agent should ask for', async () => {
    const { anonymous, origin } = await service();
    for (const path of ['/projects', '@/mcp']) {
      const challenge = (await anonymous.post(path, {})).headers.get('www-authenticate');
      expect(challenge).toBe(
        `Bearer realm="rundown", error="invalid_token", scope="projects:read results:read analytics:read actions:read", resource_metadata="${origin}${PATH}/mcp"`,
      );
      expect((await anonymous.get(`@${PATH}/mcp`)).body.resource).toBe(`${origin}/mcp`);
    }
  });

  test('The metadata of the API names its authorization server, audience and scopes', async () => {
    const { anonymous, origin, issuer } = await service();
    const { status, body } = await anonymous.get(`@${PATH}`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      resource: origin,
      authorization_servers: [issuer.issuer],
      bearer_methods_supported: ['header'],
    });
    expect(body.scopes_supported).toEqual(expect.arrayContaining(['results:read', 'webhooks:write', 'shares:write']));
    expect(body.scopes_supported).toHaveLength(11);
  });

  test('The MCP resource has its own metadata, because the API refuses tokens for the MCP resource', async () => {
    const { anonymous, origin, issuer } = await service();
    const { body } = await anonymous.get(`@${PATH}/mcp`);
    expect(body).toMatchObject({ resource: `${origin}/mcp`, authorization_servers: [issuer.issuer] });
    // MCP clients request every scope that this document lists.
    expect(body.scopes_supported).toEqual(['projects:read', 'results:read', 'analytics:read', 'actions:read']);
  });
});
