/** Errors that pages and forms respond with. */
import { ApiError } from '#shared/engine/errors.ts';

/** §5 The role of the person does not give access to this page. */
export const pageRefused = () =>
  new ApiError(403, 'Your role in this organization does not allow this. Ask an Admin for another role');
/** A form sent from another site or from another port of this host (CSRF). */
export const crossSiteForm = () =>
  new ApiError(403, 'This form was sent from another site. Open the page on this site and send the form again');
/** An OAuth authorization request was refused. `error` is the OAuth error code. */
export const requestForAccess = (statusCode: number, error: string, description: string) =>
  new ApiError(
    statusCode,
    `${error}${description === '' ? '' : `: ${description}`}. Correct this in the application that sent you here, then start again there`,
  );
