/** §5.4 Errors for what the caller is not allowed to do, and for an authorization server that fails. */
import { ApiError } from '#shared/engine/errors.ts';

/** §5.1, §5.4 The error for Read Only keys has no error code. */
export const readOnlyKey = () =>
  new ApiError(403, 'This API key is Read Only. Use a Read & Write key for operations that change data');
/** §5.4 The token has the required scope, but the role of its holder does not allow the action. */
export const insufficientRole = () =>
  new ApiError(403, 'Your role in the organization does not allow this. Ask an Admin for another role', {
    code: 'insufficient_role',
  });
export const apiKeyRequired = () =>
  new ApiError(403, 'This operation accepts organization API keys only. Send an API key instead of a token', {
    code: 'api_key_required',
  });
export const userCredentialRequired = () =>
  new ApiError(403, 'This operation needs a user. Send a personal access token or an OAuth access token', {
    code: 'user_credential_required',
  });
/** §5.1, §5.2 API keys and tokens cannot take administrative actions, such as managing credentials and members. */
export const notWithCredential = () =>
  new ApiError(403, 'API keys and tokens cannot do this. An Admin must sign in to the dashboard and do it there');
/** §5.1 A credential of a CI build, which a job got in exchange for its identity token. */
export const recordsOnly = () =>
  new ApiError(403, 'This credential of a CI build can only record this build. Use an API key for anything else');
export const adminOnly = () =>
  new ApiError(403, 'Only an Admin of the organization can do this. Ask an Admin to do it');
export const operatorOnly = () =>
  new ApiError(403, 'Only the operator of this service can do this, by running `npm run admin` without --as');
export const ownerOnly = () =>
  new ApiError(403, 'People can do this only for themselves. To act as a person, pass --as <email address>');
/** §5.3 An internal error instead of a 401: the token may be valid, but the keys of its issuer cannot be read. */
export const issuerUnavailable = (url: string, problem: string, cause?: unknown) =>
  new Error(
    `The authorization server at ${url} ${problem}. Check the network, and the setting oauthIssuer (with npm start: RUNDOWN_OAUTH_ISSUER)`,
    {
      cause,
    },
  );
/** §7 */
export const aiConsentRequired = () =>
  new ApiError(
    403,
    'This organization does not let AI tools read its failures. Ask an Admin to allow it under Sharing and AI in the dashboard',
    { code: 'AI_CONSENT_REQUIRED' },
  );
