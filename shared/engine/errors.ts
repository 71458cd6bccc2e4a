/**
 * §7 The errors that are not specific to a domain, with one function for each. Each domain folder defines its own
 * errors in its `errors.ts`. `http/answer.ts` turns errors into responses.
 */
interface Details {
  readonly code?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The names of the parameters or members in the request that are wrong. Forms show the error next to them. */
  readonly about?: readonly string[];
  /** Each problem of a request that a schema refused, with the path of the value. Forms show them in their own words. */
  readonly issues?: readonly RequestIssue[];
  /** What was not found, such as `Run`, if that is the reason for the error. */
  readonly missing?: string;
  /** Additional members of the error body. */
  readonly body?: Readonly<Record<string, unknown>>;
}

export interface RequestIssue {
  readonly path: readonly PropertyKey[];
  /** Follows the name of the value, such as `must be a number`. */
  readonly message: string;
}

export class ApiError extends Error {
  override name = 'ApiError';
  readonly statusCode: number;
  readonly details: Details;

  constructor(statusCode: number, message: string, details: Details = {}) {
    super(message);
    this.statusCode = statusCode;
    this.details = details;
  }
}

/** For use inside an expression, as in `run ?? refuse(notFound('Run'))`. */
export function refuse(error: ApiError): never {
  throw error;
}

// 400
export const invalidRequest = (problem: string, about: readonly string[] = [], issues: readonly RequestIssue[] = []) =>
  new ApiError(400, problem, { about, issues });
export const unknownParameter = (name: string, knownNames: readonly string[]) =>
  new ApiError(
    400,
    `Unknown parameter \`${name.slice(0, SHOWN_CHARACTERS).toWellFormed()}\`. Known parameters: ${knownNames.map((one) => `\`${one}\``).join(', ')}. If a value contains \`;\`, encode it as %3B`,
  );
const SHOWN_CHARACTERS = 64;
/** §8 `branches=a,b` means one branch, because names may have commas. Almost nobody who writes it means that. */
export const joinedList = (name: string, text: string) =>
  new ApiError(
    400,
    `\`${name}\` has one value with a comma. For several values, send \`${name}[]=a&${name}[]=b\`. If the comma belongs to the value, send \`${name}[]=${encodeURIComponent(text.slice(0, SHOWN_CHARACTERS).toWellFormed())}\``,
  );
export const invalidCursor = () =>
  new ApiError(
    400,
    'Invalid cursor. Send the `cursor` of an item from this list, with the same filters and organization',
  );
export const bothCursors = () =>
  new ApiError(400, '`starting_after` and `ending_before` are mutually exclusive. Send only one of them');
export const malformedJson = () => new ApiError(400, 'The request body is not valid JSON. Send one JSON object');
export const bodyTooDeep = (levels: number) =>
  new ApiError(400, `The request body is nested deeper than ${levels} levels. Send a flatter document`);
export const reservedName = () =>
  new ApiError(
    400,
    'The request body has a reserved member: `__proto__`, or `constructor` with `prototype`. Remove it',
  );
export const badEncoding = () =>
  new ApiError(
    400,
    'The request body cannot be decoded. Send it uncompressed, or as valid gzip with `Content-Encoding: gzip`',
  );

// The body of every 401 of the API is identical, byte for byte, to the body that API Gateway sends. The authorization
// server has its own errors.
/** Thrown by the authorizer. API Gateway turns an error with exactly this message into a 401. */
export class Unauthorized extends Error {
  override name = 'Unauthorized';
  constructor() {
    super('Unauthorized');
  }
}
/** For credentials in the body, and requests that bypassed the authorizer. The body is that of API Gateway. */
export const unauthorized = () => new ApiError(401, UNAUTHORIZED_MESSAGE);
export const UNAUTHORIZED_MESSAGE =
  'Invalid authentication credentials. Send a valid credential as `Authorization: Bearer <credential>`';

// 403
/** §5.4 API Gateway sends this 403, because it would rename `WWW-Authenticate` in a response of a function. */
export const INSUFFICIENT_SCOPE_MESSAGE =
  'This credential lacks the required permission. Send one with the permission that the WWW-Authenticate header names';

/** The answer of API Gateway if a firewall (AWS WAF) refuses a request. Clients recognize it by its code. */
export const FIREWALL_MESSAGE =
  'A firewall in front of Rundown refused this request. The credential is not the reason. Ask whoever operates Rundown to let it pass';
export const FIREWALL_CODE = 'FIREWALL';

// 404
export const notFound = (what: string) => new ApiError(404, `${what} not found`, { missing: what });
export const noSuchOperation = () => new ApiError(404, NO_SUCH_OPERATION_MESSAGE);
/** The message of the 404 for an unknown route. Functions and API Gateway send the same message. */
export const NO_SUCH_OPERATION_MESSAGE =
  'No such operation. Check the method and the path, which has no slash at its end, against the API documentation at /v1/docs/openapi.json';

// 409
export const conflict = (what: string) =>
  new ApiError(409, `${what} was changed by another request at the same time. Reload it, then try again`);
/** `remedy`: what to do instead, as a sentence. */
export const alreadyExists = (what: string, remedy: string, about: readonly string[] = []) =>
  new ApiError(409, `${what} already exists. ${remedy}`, { about });

// 413
export const bodyTooLarge = (bytes: number) =>
  new ApiError(
    413,
    `The request body exceeds ${bytes} bytes when decoded. Send smaller parts, for example the tests of one shard when recording`,
  );
export const formTooLarge = (limit: string) =>
  new ApiError(413, `The form exceeds ${limit}. Send shorter texts, fewer fields or smaller files`);
export const nameTooLong = (limit: number) =>
  new ApiError(413, `A member name in the request body has more than ${limit} bytes. Use shorter member names`);
export const bodyTooIntricate = (what: string, limit: number) =>
  new ApiError(
    413,
    `The request body has more than ${limit} ${what}. Send smaller parts, for example the tests of one shard when recording`,
  );
/** `remedies`: what the client can change in its request to get a smaller response. */
export const answerTooLarge = (what: string, remedies: readonly string[]) => {
  const [first = 'ask the operator of the service for the data', ...others] = remedies;
  const all = [first.charAt(0).toUpperCase() + first.slice(1), ...others].join(', or ');
  return new ApiError(413, `${what} is too large for one response. ${all}`);
};

// 5xx
export const INTERNAL_ERROR_MESSAGE =
  'Internal error. Try again. If the error persists, give your operator the `requestId` of this response';
