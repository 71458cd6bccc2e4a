/** Verifies the identity token of a CI job. */
import { decodeJwt, errors, type JWTPayload, jwtVerify } from 'jose';
import type { Network } from '#shared/sending/exchange.ts';
import { type IssuerKeys, SilentIssuer } from './issuer-keys.ts';
import { TRUSTED_CI_LIMITS } from './limits.ts';

/** GitHub and GitLab sign with it. With a shared secret, or a choice, a forged token could name what suits it. */
const ALGORITHMS = ['RS256'];

/** The issuer that a token names. Nothing in the token has been checked. */
export function findIssuer(token: string): string | undefined {
  try {
    const { iss } = decodeJwt(token);
    return typeof iss === 'string' ? iss : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Returns `undefined` for a token that is invalid or for another audience. Throws `SilentIssuer` if the keys of the
 * issuer cannot be read.
 */
export async function verifyIdentity(
  services: Network & { readonly now: () => number; readonly origin: string },
  keys: IssuerKeys,
  { token, issuer }: { readonly token: string; readonly issuer: string },
): Promise<JWTPayload | undefined> {
  try {
    const { payload } = await jwtVerify(token, keys.of(issuer, services), {
      issuer,
      audience: services.origin,
      algorithms: ALGORITHMS,
      requiredClaims: ['exp'],
      maxTokenAge: TRUSTED_CI_LIMITS.tokenSeconds,
      clockTolerance: TRUSTED_CI_LIMITS.clockToleranceSeconds,
      currentDate: new Date(services.now()),
    });
    // Each service in a longer audience could use the token here.
    return [payload.aud].flat().length === 1 ? payload : undefined;
  } catch (error) {
    if (error instanceof SilentIssuer) throw error;
    if (error instanceof errors.JOSEError) return undefined;
    // A published key that is not one makes the crypto library throw errors of its own.
    throw new SilentIssuer('Its keys are not valid');
  }
}
