/** A project that trusts a repository, and the identity token of one of its CI jobs. */
import { githubClaims, makeSigningKey } from '#test/harness/ci-claims.ts';
import { ciIssuer } from '#test/harness/ci-issuer.ts';
import type { Tenant, TestService } from '#test/harness/service.ts';
import { trust } from '#test/trusted-ci/trust.ts';
import type { Ids, Sample } from './sample-shapes.ts';

export async function sampleIdentity(tenant: TestService & Tenant): Promise<Partial<Ids>> {
  const issuer = await ciIssuer(await makeSigningKey(), { stays: true });
  await trust(tenant, issuer);
  const identityToken = await issuer.sign(githubClaims({ issuer: issuer.issuer, audience: tenant.origin }));
  return { identityToken };
}

export const IDENTITY_SAMPLES: Readonly<Record<string, Sample>> = {
  createBuildCredential: {
    // Whatever is wrong, the answer is 401 and says nothing about the project.
    ids: [],
    needs: ['identityToken'],
    headers: ({ identityToken }) => [['authorization', `Bearer ${identityToken}`]],
  },
};
