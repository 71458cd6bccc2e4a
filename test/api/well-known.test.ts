import { describe, expect, test } from 'vitest';
import { service } from '#test/harness/service.ts';

const PATH = '/.well-known/oauth-protected-resource';

describe('§4.5 Discovery of the authorization server', () => {
  test('A 401 response asks for a bearer token but does not name a metadata document, because the API and MCP have separate documents', async () => {
    const { anonymous } = await service();
    const { headers } = await anonymous.get('/projects');
    expect(headers.get('www-authenticate')).toBe('Bearer realm="rundown"');
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
