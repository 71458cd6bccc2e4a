import { single, wrapData } from '#shared/engine/http/envelope.ts';
import { buildCredentials } from '#shared/model/organizations/build-credential.ts';
import { organizations } from '#shared/model/organizations/organization.ts';
import { projects } from '#shared/model/organizations/project.ts';
import { trustedRepositories } from '#shared/model/organizations/trusted-repository.ts';
import { endpoint } from '#shared/platform/endpoint.ts';
import { NewCredential } from '#shared/trusted-ci/credential-wire.ts';
import { exchangeIdentity, parseIdentityToken, presentCredential } from '#shared/trusted-ci/exchange-identity.ts';
import { IssuerKeys } from '#shared/trusted-ci/issuer-keys.ts';

const issuerKeys = new IssuerKeys();

/** §5.1 The token is the credential. It is not one of ours, so the route has no authorizer. */
export const handler = endpoint({
  operationId: 'createBuildCredential',
  route: 'POST /organizations/{organizationId}/projects/{projectId}/build-credentials',
  permission: 'public',
  access: {
    table: 'readWrite',
    reads: [organizations, projects],
    writes: [buildCredentials, trustedRepositories],
    artifacts: 'none',
  },
  summary: 'Exchange the identity token of a CI job for a credential that records its build',
  description:
    'Send the OpenID Connect token of the job as `Authorization: Bearer <token>`. Its audience is the address of this service. An Admin lists the repository under Trusted CI in the settings of the project. The credential records this build for an hour, and can do nothing else. Any other token gets 401.',
  success: 201,
  response: single(NewCredential),
  refuses: ['unauthorized', 'conflict'],
  async handle({ path, header }, services) {
    const token = parseIdentityToken(header('authorization'));
    return wrapData(presentCredential(await exchangeIdentity(services, issuerKeys, { ...path, token })));
  },
});
