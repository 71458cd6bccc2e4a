import { describe, expect, test } from 'vitest';
import { service } from '#test/harness/service.ts';

const PATH = '/.well-known/oauth-protected-resource';

describe('§4.5 Discovery', () => {
  test('starts at a 401, which says where the resource describes itself', async () => {
    const { anonymous, origin } = await service();
    const { headers } = await anonymous.get('/projects');
    expect(headers.get('www-authenticate')).toBe(`Bearer resource_metadata="${origin}${PATH}"`);
  });

  test('names the authorization server, and the audience and scopes to ask it for', async () => {
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

  test('describes the MCP resource apart, for tokens that the API refuses', async () => {
    const { anonymous, origin, issuer } = await service();
    const { body } = await anonymous.get(`@${PATH}/mcp`);
    expect(body).toMatchObject({ resource: `${origin}/mcp`, authorization_servers: [issuer.issuer] });
  });
});
