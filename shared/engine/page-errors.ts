/** The errors of pages and of the ways to sign in. The other errors are in `errors.ts`. */
import { ApiError } from './errors.ts';

/** §5 A page that the person's role does not show. */
export const pageRefused = () =>
  new ApiError(403, 'Your role in this organization does not allow this. Ask an Admin for another role');
/** A form that another site or another port of this host sent. */
export const crossSiteForm = () =>
  new ApiError(403, 'This form came from another site. Open the page here and send its form again');

/** The same answer for every unusable sign-in link: used, expired, replaced, or unknown. */
export const linkNotUsable = () =>
  new ApiError(404, 'This sign-in link does not work. It may be used or expired. Ask your operator for a new one');

/** The same answer for every unusable passkey, and for every forged one. */
export const passkeyNotUsable = () =>
  new ApiError(400, 'This passkey does not sign you in here. Try again, or ask your operator for a sign-in link');
export const passkeyNotAdded = () =>
  new ApiError(400, 'This passkey was not added. Reload the page and try again, or use another device');

/** A form renews the session of its sender, which another browser ended meanwhile. */
export const sessionEnded = () => new ApiError(409, 'This session has ended. Reload the page and sign in again');

/** Consent is for exactly one organization. */
export const organizationNotChosen = () =>
  new ApiError(400, 'Choose the organization in which the application may act. It gets access to this one only');
export const organizationNotYours = () =>
  new ApiError(400, 'You are not a member of this organization, or it is deactivated. Choose another organization');
export const scopeNotAsked = (scope: string) =>
  new ApiError(
    400,
    `The application did not ask for ${JSON.stringify(scope.slice(0, SHOWN_CHARACTERS).toWellFormed())}. Choose among the permissions of this page`,
  );
const SHOWN_CHARACTERS = 64;
/** A request of an application that the authorization server refuses, with the error code of its protocol. */
export const requestForAccess = (statusCode: number, error: string, description: string) =>
  new ApiError(
    statusCode,
    `${error}${description === '' ? '' : `: ${description}`}. Correct the request in the application that sent you here, and start again there`,
  );
/** An authorization request lives for some minutes, and in one browser only. */
export const consentExpired = () =>
  new ApiError(
    404,
    'This request for access has ended. Go back to the application that sent you, and start again there',
  );

// 409
/** A second tab may sign in another person. */
export const consentOfAnotherPerson = () =>
  new ApiError(
    409,
    'Somebody else signed in to this browser after the page was opened. Check the name, and decide again',
  );
/** Only the holder of the invitation sees this, and they know the address. */
export const signInToJoin = () =>
  new ApiError(
    409,
    'There is an account with the invited address. Sign in with it, or with a link from your operator, and open the invitation again',
  );
export const tooManyPasskeys = (limit: number) =>
  new ApiError(409, `Your account already has the maximum of ${limit} passkeys. Remove one first`);
/** A form that creates something works once. Browsers send it again when its answer is reloaded. */
export const alreadySubmitted = () =>
  new ApiError(
    409,
    'This form was sent already, and nothing was created again. If it showed a value, that value is not shown twice. Fill in the form again to create another',
  );
/** `changes`: what somebody else changed, such as `default branch is now trunk`. */
export const settingsChanged = (changes: readonly string[]) =>
  new ApiError(
    409,
    `Somebody else changed this after you opened the page: ${changes.join('; ')}. Check your entries, and save again to replace it`,
  );

/** A disabled notification tells nothing, not even a test. */
export const notificationDisabled = () =>
  new ApiError(409, 'This notification is disabled. Enable it first, then test it');
