/** A cold Lambda container, which has cached nothing about the issuer of access tokens. */
import { onTestFinished } from 'vitest';
import { connectVerifier } from '#shared/platform/connect.ts';
import { claimsOf, signed, startTestIssuer } from '#test/harness/issuer.ts';
import { member } from '#test/harness/people.ts';
import { service } from '#test/harness/service.ts';

export async function container(audience = 'https://results.example.com') {
  const stage = await service();
  const issuer = await startTestIssuer();
  onTestFinished(issuer.close);
  const { accountId } = await member(stage, 'member');
  const verifier = connectVerifier({ OAUTH_ISSUER: issuer.issuer, PUBLIC_ORIGIN: audience })();
  const good = () => claimsOf(issuer, { origin: audience, organizationId: stage.organizationId }, accountId);
  const verify = async (value?: string) =>
    (await verifier.verify(stage.services, value ?? (await signed(good(), issuer.key))))?.kind;
  return { ...stage, issuer, good, verify };
}
