/** Errors that pages and forms respond with. */
import { ApiError } from '#shared/engine/errors.ts';
import type { Role } from '#shared/model/organizations/membership.ts';
import { getRoleName } from '#shared/pages/shell/role-names.ts';

const ROLES = new Intl.ListFormat('en', { type: 'disjunction' });

/** §5 The role of the person does not give access to this page. */
export function pageRefused(roles: readonly Role[], ownRole: Role | undefined): ApiError {
  const neededRoles = ROLES.format(roles.map(getRoleName));
  return new ApiError(
    403,
    ownRole === undefined || roles.includes(ownRole)
      ? 'Your role in this organization does not allow this. Ask an Admin for another role'
      : `This needs the role ${neededRoles}, and yours is ${getRoleName(ownRole)}. Ask an Admin for another role`,
  );
}
/** The form on this page would be refused, because the project was deleted. */
export const projectRefused = () =>
  new ApiError(409, 'Nothing can be added to a deleted project or changed in it until an Admin restores it');
/** Company sign-in proves who somebody is to their company, and not to the rest of the service. */
export const companySessionRefused = () =>
  new ApiError(
    403,
    'You are signed in with your company, which opens its organization only. To change your account, sign in with a passkey or a link from the operator of this service',
  );
/** A form sent from another site or from another port of this host (CSRF). */
export const crossSiteForm = () =>
  new ApiError(403, 'This form was sent from another site. Open the page on this site and send the form again');
/** An OAuth authorization request was refused. `error` is the OAuth error code. */
export const requestForAccess = (statusCode: number, error: string, description: string) =>
  new ApiError(
    statusCode,
    `${error}${description === '' ? '' : `: ${description}`}. Correct this in the application that sent you here, then start again there`,
  );
/** Not 409, which says that the first request is still running: here it is done or has changed nothing. */
export const keyReused = () =>
  new ApiError(
    422,
    'This `Idempotency-Key` was used within a day for another request. To repeat a request, send it unchanged. For another one, send a new key',
  );
