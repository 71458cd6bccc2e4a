/** Errors of sign-in at a provider of this deployment. None contains a secret, a token or a claim. */
import { ApiError } from '#shared/engine/errors.ts';

export const noSuchProvider = () =>
  new ApiError(404, 'This service has no such sign-in. Sign in with a passkey, or ask the operator of this service');
export const secretMissing = (name: string) =>
  new ApiError(
    403,
    `The operator of this service has not finished setting up ${name}: its client secret is not stored. Sign in in another way until then`,
  );
export const cannotConfirm = (name: string) =>
  new ApiError(403, `${name} cannot state that it has just asked who you are. Confirm with a passkey or a code`);
export const providerSignInFailed = (reason: string) =>
  new ApiError(403, `You were not signed in. ${reason}. Try again, or sign in in another way`);
/** The same for everybody without an account, and for every address that the provider does not prove. */
export const nobodyKnown = (name: string) =>
  new ApiError(
    403,
    `No account here is connected with your identity at ${name}. Ask an Admin for an invitation. If you have an account, sign in as before and connect ${name} on your account page`,
  );
export const invitationForAnother = (name: string) =>
  new ApiError(
    403,
    `${name} does not state that you own the invited address. Choose the invited address as your primary one at ${name} and verify it there, or join without ${name}: open the invitation again and enter your name`,
  );
export const connectedWithAnother = (name: string) =>
  new ApiError(409, `This identity at ${name} is already connected with another account. Disconnect it there first`);
export const alreadyConnected = (name: string) =>
  new ApiError(409, `Your account is already connected with another identity at ${name}. Disconnect that one first`);
export const ownAccountOnly = () =>
  new ApiError(
    403,
    'Your organization manages your account, so only its company sign-in can be connected with it. Sign in with your company',
  );
export const signInBeforeConnecting = () =>
  new ApiError(403, 'Sign in with a passkey or a link before you connect another way to sign in');
