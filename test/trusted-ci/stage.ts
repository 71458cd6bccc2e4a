/** A project that trusts a repository, and the jobs of its CI system. */
import { beforeAll } from 'vitest';
import type { TrustSettings } from '#shared/trusted-ci/trusted-repositories.ts';
import { githubClaims, makeSigningKey, type SigningKey } from '#test/harness/ci-claims.ts';
import { ciIssuer } from '#test/harness/ci-issuer.ts';
import { type Answer, client } from '#test/harness/client.ts';
import { service, type Tenant, type TestService } from '#test/harness/service.ts';
import { trust } from './trust.ts';

let ownKey: SigningKey;
beforeAll(async () => {
  ownKey = await makeSigningKey();
});

/** The key with which issuers of this file sign. */
export const signingKey = (): SigningKey => ownKey;

type Place = TestService & Tenant;

/** Sends a token as a client does. */
export const exchange = (
  { origin, organizationId, projectId }: Pick<Place, 'origin' | 'organizationId' | 'projectId'>,
  token: string,
): Promise<Answer> =>
  client(origin, token).post(`/organizations/${organizationId}/projects/${projectId}/build-credentials`, {});

export async function shop(more: Partial<TrustSettings> = {}) {
  const here = await service();
  const issuer = await ciIssuer(ownKey);
  const entry = await trust(here, issuer, more);
  const claims = (changes: object = {}) => githubClaims({ issuer: issuer.issuer, audience: here.origin }, changes);
  return {
    ...here,
    ci: issuer,
    entry,
    claims,
    exchange: async (changes: object = {}): Promise<Answer> => exchange(here, await issuer.sign(claims(changes))),
    /** A client with the credential that a job gets. */
    job: async (changes: object = {}) => {
      const { body } = await exchange(here, await issuer.sign(claims(changes)));
      return client(here.origin, body.data.credential);
    },
  };
}
