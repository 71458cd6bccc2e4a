/** Errors of signing in, of passkeys and of sessions. */
import { ApiError } from '#shared/engine/errors.ts';

/** The response is the same for every unusable sign-in link: used, expired, replaced, or unknown. */
export const linkNotUsable = () =>
  new ApiError(
    404,
    'This sign-in link does not work. It may have been used already, or it may have expired. Ask your operator for a new one',
  );
/** The response is the same for every code that does not work. */
export const codeNotUsable = () =>
  new ApiError(
    400,
    'This code does not work. It may be mistyped, used, replaced or expired, or five wrong codes were entered. Try again, or get a new one',
    { about: ['code'] },
  );
export const notOnlyYourMember = () =>
  new ApiError(
    409,
    'This person also belongs to an organization that you do not administer, so you cannot confirm who they are there. They can ask the operator of this service for a sign-in link',
  );
/** The response is the same for every unusable or forged passkey. */
export const passkeyNotUsable = () =>
  new ApiError(400, 'This passkey cannot sign you in here. Try again, or ask your operator for a sign-in link');
export const passkeyNotAdded = () =>
  new ApiError(400, 'The passkey was not added. Reload the page and try again, or use another device');
/** For an action that renews the session, if the session has ended, for example from another browser. */
export const sessionEnded = () => new ApiError(409, 'This session has ended. Reload the page and sign in again');
/** Reveals that the account exists, but only to the holder of the invitation. */
export const signInToJoin = () =>
  new ApiError(
    409,
    'There is already an account with the invited email address. Sign in to it with a passkey or a link from your operator, then open the invitation again',
  );
export const lastWayIn = (name: string) =>
  new ApiError(409, `${name} is your only way to sign in. Add a passkey before you disconnect it`);
export const tooManyPasskeys = (limit: number) =>
  new ApiError(409, `Your account already has the maximum of ${limit} passkeys. Remove one first`);
