/** Errors for invalid decisions on the consent page. */
import { ApiError } from '#shared/engine/errors.ts';

export const organizationNotChosen = () =>
  new ApiError(400, 'Choose an organization. The application gets access only to that organization');
export const organizationNotYours = () =>
  new ApiError(400, 'You are not a member of this organization, or it is deactivated. Choose another organization');
export const scopeNotAsked = (scope: string) =>
  new ApiError(
    400,
    `The application did not ask for ${JSON.stringify(scope.slice(0, SHOWN_CHARACTERS).toWellFormed())}. Choose only from the permissions on this page`,
  );
const SHOWN_CHARACTERS = 64;
/** An authorization request is valid for a few minutes, and only in the browser that started it. */
export const consentExpired = () =>
  new ApiError(
    404,
    'This request for access has expired. Go back to the application that sent you here, and start again there',
  );
/** Another person may have signed in from a second tab of the same browser. */
export const consentOfAnotherPerson = () =>
  new ApiError(
    409,
    'Somebody else signed in with this browser after you opened the page. Check which account is signed in now, then decide again',
  );
