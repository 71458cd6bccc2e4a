/** §5 What a provider of this deployment says about a person. */
import { type Claims, isAddressVerified } from '#shared/company-sign-in/claims.ts';
import { findEmailAddress } from '#shared/organizations/create-account.ts';

export interface StatedPerson {
  readonly subject: string;
  readonly name: string | undefined;
  /** The address of which the provider states that the person owns it, exactly as it states it. */
  readonly provenAddress: string | undefined;
}

export function readStatedPerson(issuer: string, claims: Claims): StatedPerson {
  const { sub: subject, name, email } = claims;
  return {
    subject,
    name: typeof name === 'string' ? name : undefined,
    provenAddress: isAddressVerified(issuer, claims) && typeof email === 'string' ? email : undefined,
  };
}

/**
 * The address, if it is spelled as in accounts. Other spellings are not made equal: a provider may give `Kim@` and `kim@`
 * to two people, and some letters become others in lower case.
 */
export const findExactAddress = ({ provenAddress }: StatedPerson): string | undefined =>
  provenAddress !== undefined && findEmailAddress(provenAddress) === provenAddress ? provenAddress : undefined;
