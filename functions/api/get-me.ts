import { readMe } from '#shared/access/me.ts';
import { Me } from '#shared/access/me-wire.ts';
import { single, wrapData } from '#shared/engine/http/envelope.ts';
import { endpoint } from '#shared/platform/endpoint.ts';

/** §5.4 Refuses API keys, because an API key does not belong to a person. */
export const handler = endpoint({
  operationId: 'getMe',
  route: 'GET /me',
  permission: 'me:read',
  access: { table: 'read', artifacts: 'none' },
  summary: 'Get the authenticated person and their permissions',
  response: single(Me),
  refuses: ['notFound'],
  tool: 'none',
  async handle({ actor }, services) {
    return wrapData(await readMe(services, actor));
  },
});
