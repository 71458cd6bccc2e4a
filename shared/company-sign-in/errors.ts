/** Errors of company sign-in. None contains a secret, a token or a claim. */
import { ApiError, invalidRequest } from '#shared/engine/errors.ts';

/** The same answer for an organization without a provider and for one that does not exist. */
export const noCompanySignIn = () =>
  new ApiError(
    404,
    'There is no company sign-in at this address. Check the link that your Admin gave you, or sign in with a passkey',
  );
/** 403, because a page that refuses its query with 400 is shown again, and the answer of a provider works only once. */
export const flowLost = () =>
  new ApiError(
    403,
    'This sign-in was started in another browser, has been completed already, or took longer than 15 minutes. Start it again',
  );
/** `reason`: such as `The provider answered: access_denied`. */
export const companySignInFailed = (reason: string) =>
  new ApiError(403, `You were not signed in. ${reason}. Try again, or show this message to your Admin`);
export const noAddress = () =>
  companySignInFailed(
    'The provider stated no email address. It must send the claim `email` with the scopes `openid email profile`',
  );
export const identityOfAnother = () =>
  companySignInFailed(
    'There is already a member with your email address, who signs in with another identity. An Admin can end that identity on the page of the member',
  );
export const addressOfMember = () =>
  companySignInFailed(
    'There is already a member with your email address. Sign in as before, and connect the company sign-in on your account page',
  );
export const addressNotVerified = () =>
  companySignInFailed(
    'Your directory has an account with your email address, but the provider does not state that the address is verified. It must send the claim `email_verified` with the value true, or your directory the id of the person at the provider as `externalId`',
  );
export const notAdmitted = () =>
  new ApiError(403, 'Your company has not added you to this organization. Ask an Admin, or whoever runs its directory');
export const noLongerMember = () =>
  new ApiError(403, 'You are not a member of this organization any more. Ask an Admin to let you in again');
export const wrongPerson = () =>
  companySignInFailed('The provider signed in somebody else than the person who is signed in here');
export const linkNeedsOwnSession = () =>
  new ApiError(403, 'Sign in with a passkey or a link before you connect a company sign-in');
export const identityTaken = () =>
  new ApiError(409, 'This identity already belongs to another member. An Admin can end it on the page of that member');
export const providerNotReachable = (reason: string) =>
  new ApiError(400, `The provider did not answer as expected. ${reason}`, { about: ['issuer'] });
export const requireNeedsTest = () =>
  new ApiError(
    409,
    'Sign in with your company once before you require it for everybody, so that you do not lock yourself out',
    { about: ['required'] },
  );
export const providerChanged = () =>
  new ApiError(409, 'Somebody else has changed these settings. Reload the page and enter your changes again');
/** The same for unknown domains, for no address, and if nobody can sign in at the organization that has proven the domain. */
export const noCompanyForAddress = () =>
  invalidRequest(
    'No company sign-in is known for this address. Ask your Admin for the link to it, or sign in with a passkey',
    ['email'],
  );
export const dnsSilent = () =>
  new ApiError(409, 'DNS did not answer, so nothing was changed. Try again in a few minutes', { about: ['domain'] });
export const recordMissing = (name: string) =>
  new ApiError(409, `There is no TXT record ${name} with the text below. A new record may take an hour to appear`, {
    about: ['domain'],
  });
export const domainOfAnother = () =>
  new ApiError(
    409,
    'Another organization of this service has proven this domain. It must remove the domain first, or the operator does',
    { about: ['domain'] },
  );
export const tooManyDomains = (limit: number) =>
  new ApiError(409, `Your organization already has the maximum of ${limit} domains. Remove one first`, {
    about: ['domain'],
  });
