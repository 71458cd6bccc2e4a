import { describe, expect, test } from 'vitest';
import { member, token } from '#test/harness/people.ts';
import { service } from '#test/harness/service.ts';

describe('GET /me', () => {
  test('returns the person who owns the token, with their organization, role and permissions', async () => {
    const stage = await service();
    const owner = await member(stage, 'admin');
    const { api } = await token(stage, { owner, permissions: ['webhooks:write'] });
    const { status, body } = await api.get('/me');
    expect({ status, body }).toEqual({
      status: 200,
      body: {
        status: 'OK',
        data: {
          accountId: owner.accountId,
          email: owner.email,
          name: 'Alex Doe',
          organization: { organizationId: stage.organizationId, name: 'Acme' },
          role: 'admin',
          permissions: ['webhooks:read', 'webhooks:write'],
        },
      },
    });
  });

  test('refuses an API key, which belongs to no person, and sends no WWW-Authenticate header', async () => {
    const { api, reader } = await service();
    for (const client of [api, reader]) {
      const { status, body, headers } = await client.get('/me');
      expect({ status, code: body.code }).toEqual({ status: 403, code: 'user_credential_required' });
      expect(headers.get('www-authenticate')).toBeNull();
    }
  });
});
