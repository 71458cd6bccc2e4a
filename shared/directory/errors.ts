/** Errors of SCIM (RFC 7644, 3.12). `code` is the `scimType`. */
import { ApiError } from '#shared/engine/errors.ts';

type ScimType =
  | 'invalidFilter'
  | 'invalidPath'
  | 'invalidSyntax'
  | 'invalidValue'
  | 'mutability'
  | 'noTarget'
  | 'tooMany'
  | 'uniqueness';

const badRequest = (code: ScimType, problem: string) => new ApiError(400, problem, { code });

export const invalidFilter = (filter: string) =>
  badRequest(
    'invalidFilter',
    `Unsupported filter ${JSON.stringify(filter.slice(0, SHOWN_CHARACTERS))}. Send one of ${FILTERS}, or several with "and"`,
  );
const FILTERS =
  'userName eq "...", externalId eq "...", id eq "...", emails eq "...", emails[type eq "work"].value eq "...", and for groups displayName eq "..."';
export const invalidPath = (path: string) =>
  badRequest(
    'invalidPath',
    `Invalid path ${JSON.stringify(path.slice(0, SHOWN_CHARACTERS))}. Send the name of an attribute`,
  );
export const invalidSyntax = (problem: string) => badRequest('invalidSyntax', problem);
export const invalidValue = (problem: string) => badRequest('invalidValue', problem);
export const immutable = (attribute: string) =>
  badRequest('mutability', `The attribute ${attribute} cannot be removed. Replace it`);
export const noTarget = () => badRequest('noTarget', 'A "remove" needs a path. Send the path of an attribute');
export const tooMany = (problem: string) => badRequest('tooMany', problem);
export const notUnique = (attribute: string) =>
  new ApiError(
    409,
    `Another resource of this directory has this ${attribute}. Change that resource, or send another value`,
    {
      code: 'uniqueness' satisfies ScimType,
    },
  );
export const versionMismatch = () =>
  new ApiError(
    412,
    'The resource has another version than the If-Match header. Read it again, then repeat the request',
  );
export const unknownResource = (kind: string, id: string) =>
  new ApiError(404, `${kind} ${JSON.stringify(id.slice(0, SHOWN_CHARACTERS))} not found`);
export const unknownPath = () =>
  new ApiError(
    404,
    'There is nothing at this path. Use /Users, /Groups, /ServiceProviderConfig, /ResourceTypes or /Schemas',
  );
export const noCommonSearch = () =>
  new ApiError(501, 'Users and groups cannot be searched together. Send GET /Users or GET /Groups with a filter');
export const unsupportedMethod = (allow: string) =>
  new ApiError(405, `This path supports ${allow}`, { headers: { Allow: allow } });
/** The same for every unusable credential. */
export const scimUnauthorized = () =>
  new ApiError(
    401,
    'Send a valid SCIM token as "Authorization: Bearer rdn_scim_...". Admins create it in the dashboard',
    {
      headers: { 'WWW-Authenticate': 'Bearer realm="rundown-scim"' },
    },
  );
export const tooManyTokens = (most: number) =>
  new ApiError(409, `An organization can have at most ${most} SCIM tokens. Revoke one first`);

const SHOWN_CHARACTERS = 100;
