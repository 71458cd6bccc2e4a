/** §5 What a provider of this deployment says about a person. */
import { findEmailAddress } from '#shared/organizations/create-account.ts';

export interface StatedPerson {
  readonly subject: string;
  readonly name: string | undefined;
  /** The address of which the provider states that the person owns it, exactly as it states it. */
  readonly provenAddress: string | undefined;
}

type Claims = Readonly<Record<string, unknown>> & { readonly sub: string };

/**
 * Microsoft Entra states addresses that people can change themselves, and no `email_verified`. A tenant that adds the
 * claim `xms_edov` states whether the owner of the domain of the address was checked.
 */
const ENTRA = /^https:\/\/login\.microsoftonline\.[a-z]+\//;

/** Only the boolean `true` counts as verified: a text such as `"false"` would be true in JavaScript. */
export function readStatedPerson(issuer: string, claims: Claims): StatedPerson {
  const { sub: subject, name, email } = claims;
  const isVerified = claims[ENTRA.test(issuer) ? 'xms_edov' : 'email_verified'] === true;
  return {
    subject,
    name: typeof name === 'string' ? name : undefined,
    provenAddress: isVerified && typeof email === 'string' ? email : undefined,
  };
}

/**
 * The address, if it is spelled as in accounts. Other spellings are not made equal: a provider may give `Kim@` and `kim@`
 * to two people, and some letters become others in lower case.
 */
export const findExactAddress = ({ provenAddress }: StatedPerson): string | undefined =>
  provenAddress !== undefined && findEmailAddress(provenAddress) === provenAddress ? provenAddress : undefined;
