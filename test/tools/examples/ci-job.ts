/** A CI job of a trusted repository, whose issuer is on this machine. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { OPERATOR } from '#shared/access/actor.ts';
import type { CoreServices } from '#shared/services.ts';
import { trustRepository } from '#shared/trusted-ci/trusted-repositories.ts';
import { githubClaims, makeSigningKey, signClaims } from '#test/harness/ci-claims.ts';

/** Returns the identity token of the job. */
export async function startCiJob(
  services: CoreServices,
  {
    origin,
    organizationId,
    projectId,
  }: { readonly origin: string; readonly organizationId: string; readonly projectId: string },
): Promise<string> {
  const key = await makeSigningKey();
  const server = createServer(({ url = '' }, response) => {
    const configuration = { issuer, jwks_uri: `${issuer}/jwks` };
    response.end(JSON.stringify(url === '/jwks' ? { keys: [key.jwk] } : configuration));
  });
  server.listen(0, '127.0.0.1').unref();
  await once(server, 'listening');
  const address = server.address();
  const issuer = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  const settings = { provider: 'github', issuer, repository: 'acme/shop', branch: '', environment: '' } as const;
  await trustRepository(
    { ...services, privateReceivers: 'machine' },
    { organizationId, projectId, actor: OPERATOR, settings },
  );
  return signClaims(githubClaims({ issuer, audience: origin }), key);
}
