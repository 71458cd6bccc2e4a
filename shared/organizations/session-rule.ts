/**
 * §5 Which organizations a signed-in person may use in a session. An identity from the provider of a company opens that
 * company's organization only, because whoever runs the provider can say anything about anybody.
 */
import type { Person } from '#shared/access/actor.ts';
import { type ApiError, notFound } from '#shared/engine/errors.ts';
import type { Organization } from '#shared/model/organizations/organization.ts';
import { CompanySignInRequired } from './errors.ts';

/** A person on the command line has no session. The operator answers for them. */
export function findSessionRefusal(
  { signIn }: Pick<Person, 'signIn'>,
  { organizationId, companySignIn }: Pick<Organization, 'organizationId' | 'companySignIn'>,
): ApiError | undefined {
  if (!signIn) return undefined;
  if (signIn.company) return signIn.company.organizationId === organizationId ? undefined : notFound('Organization');
  // A link from the operator is the way back in when the provider does not work.
  return companySignIn?.required && signIn.method !== 'link' ? new CompanySignInRequired(organizationId) : undefined;
}
