/** The errors of pages and of signing in. All others are in `errors.ts`. */
import { ApiError } from './errors.ts';

/** §5 The role of the person does not allow this page. */
export const pageRefused = () =>
  new ApiError(403, 'Your role in this organization does not allow this. Ask an Admin for another role');
/** A form sent from another site or from another port of this host (CSRF). */
export const crossSiteForm = () =>
  new ApiError(403, 'This form came from another site. Open the page here and send its form again');

/** The same response for every unusable sign-in link: used, expired, replaced, or unknown. */
export const linkNotUsable = () =>
  new ApiError(
    404,
    'This sign-in link does not work. It may have been used already, or it has expired. Ask your operator for a new one',
  );

/** The same response for every unusable or forged passkey. */
export const passkeyNotUsable = () =>
  new ApiError(400, 'This passkey cannot sign you in here. Try again, or ask your operator for a sign-in link');
export const passkeyNotAdded = () =>
  new ApiError(400, 'The passkey was not added. Reload the page and try again, or use another device');

/** The session that a form was to renew has been ended from another browser in the meantime. */
export const sessionEnded = () => new ApiError(409, 'This session has ended. Reload the page and sign in again');

/** Consent is for exactly one organization. */
export const organizationNotChosen = () =>
  new ApiError(400, 'Choose the organization that the application may access. It gets access to no other');
export const organizationNotYours = () =>
  new ApiError(400, 'You are not a member of this organization, or it is deactivated. Choose another organization');
export const scopeNotAsked = (scope: string) =>
  new ApiError(
    400,
    `The application did not ask for ${JSON.stringify(scope.slice(0, SHOWN_CHARACTERS).toWellFormed())}. Choose only from the permissions on this page`,
  );
const SHOWN_CHARACTERS = 64;
/** An authorization request that is refused, with the OAuth error code. */
export const requestForAccess = (statusCode: number, error: string, description: string) =>
  new ApiError(
    statusCode,
    `${error}${description === '' ? '' : `: ${description}`}. Correct this in the application that sent you here, then start again there`,
  );
/** An authorization request is valid for some minutes, and only in the browser that started it. */
export const consentExpired = () =>
  new ApiError(
    404,
    'This request for access has expired. Go back to the application that sent you here, and start again there',
  );

// 409
/** Another person may have signed in in a second tab. */
export const consentOfAnotherPerson = () =>
  new ApiError(
    409,
    'Somebody else has signed in in this browser since you opened the page. Check the name, and decide again',
  );
/** Reveals that the account exists, but only to the holder of the invitation. */
export const signInToJoin = () =>
  new ApiError(
    409,
    'There already is an account with the invited address. Sign in to it, with a passkey or a link from your operator, and open the invitation again',
  );
export const tooManyPasskeys = (limit: number) =>
  new ApiError(409, `Your account already has the maximum of ${limit} passkeys. Remove one first`);
/** A form that creates something works only once, because browsers send it again when the response is reloaded. */
export const alreadySubmitted = () =>
  new ApiError(
    409,
    'This form was already sent, so nothing was created this time. Secrets are shown only once, so they cannot be shown again. To create another one, open the form again',
  );
/** `changes`: such as `default branch is now trunk`. */
export const settingsChanged = (changes: readonly string[]) =>
  new ApiError(
    409,
    `Somebody else changed this after you opened the page: ${changes.join('; ')}. Check your entries, then save again to overwrite it`,
  );

/** A disabled notification sends nothing, not even a test. */
export const notificationDisabled = () =>
  new ApiError(409, 'This notification is disabled. Enable it first, then test it');
