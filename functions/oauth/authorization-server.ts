import { issuerKeys } from '#shared/model/oauth/issuer-keys.ts';
import { grants, grantsOfAccount } from '#shared/model/oauth/oauth-grant.ts';
import { oauthItems } from '#shared/model/oauth/oauth-item.ts';
import { memberships } from '#shared/model/organizations/membership.ts';
import { organizations } from '#shared/model/organizations/organization.ts';
import { sessions } from '#shared/model/sign-in/session.ts';
import { OAUTH_LIMITS } from '#shared/oauth/limits.ts';
import { AuthorizationServer } from '#shared/oauth/server.ts';
import { connectSigningKeys } from '#shared/platform/connect.ts';
import { answerProblem } from '#shared/platform/page-answer.ts';
import { routes } from '#shared/platform/routes.ts';

const server = new AuthorizationServer(connectSigningKeys());

/** §5.3 A person in a browser sees an error as a page. A program gets an error response of the OAuth protocol. */
export const handler = routes({
  name: 'authorizationServer',
  routes: [
    'GET /.well-known/oauth-authorization-server',
    'GET /.well-known/openid-configuration',
    'GET /api/auth/oauth2/authorize',
    'GET /api/auth/oauth2/authorize/{uid}',
    'GET /api/auth/oauth2/jwks',
    'POST /api/auth/oauth2/register',
    'POST /api/auth/oauth2/revoke',
    'POST /api/auth/oauth2/token',
  ],
  throttles: { 'POST /api/auth/oauth2/register': OAUTH_LIMITS.registrations },
  credential: 'none',
  access: {
    table: 'readWrite',
    reads: [memberships, organizations, sessions],
    writes: [oauthItems, grants, grantsOfAccount, issuerKeys],
    artifacts: 'none',
  },
  memoryMegabytes: 1024,
  signs: true,
  summary: 'Authorization server (OAuth 2.0)',
  async handle(event, services) {
    const result = await server.answer(event, services);
    return 'answer' in result ? result.answer : answerProblem(services, event, result.problem);
  },
});
