/** Makes a project trust the jobs of a repository. */
import { OPERATOR } from '#shared/access/actor.ts';
import { type TrustSettings, trustRepository } from '#shared/trusted-ci/trusted-repositories.ts';
import type { CiIssuer } from '#test/harness/ci-issuer.ts';
import type { Tenant, TestService } from '#test/harness/service.ts';

export const trust = (
  { services, organizationId, projectId }: Pick<TestService & Tenant, 'services' | 'organizationId' | 'projectId'>,
  { issuer }: Pick<CiIssuer, 'issuer'>,
  more: Partial<TrustSettings> = {},
) =>
  trustRepository(
    { ...services, privateReceivers: 'machine' },
    {
      organizationId,
      projectId,
      actor: OPERATOR,
      settings: { provider: 'github', issuer, repository: 'acme/shop', branch: '', environment: '', ...more },
    },
  );
