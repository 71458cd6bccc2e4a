import { endpoint } from '#shared/endpoint.ts';
import { ok, single } from '#shared/envelope.ts';
import { Me, readMe } from '#shared/results/me.ts';

/** §5.4 Answers for a person, so an API key is refused. */
export const handler = endpoint({
  operationId: 'getMe',
  route: 'GET /me',
  permission: 'anyCredential',
  callers: ['personalToken', 'accessToken'],
  access: { table: 'read', artifacts: 'none' },
  summary: 'Whom this credential acts as, where, and what it may do',
  response: single(Me),
  async handle({ caller }, services) {
    return ok({ data: await readMe(services, caller) });
  },
});
