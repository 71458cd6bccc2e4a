/** §7 and §5.4: every refusal of the service, one constructor each. `http/answer.ts` is where they become responses. */
interface Details {
  readonly code?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Further members of the body. */
  readonly body?: Readonly<Record<string, unknown>>;
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

/** Keeps a rule and its refusal on one line: `found ?? refuse(notFound('Run'))`. */
export function refuse(error: ApiError): never {
  throw error;
}

// 400
export const invalidRequest = (problem: string) => new ApiError(400, problem);
export const invalidCursor = () =>
  new ApiError(
    400,
    'Invalid cursor. Pass a `cursor` of an item from this same list, asked for with the same filters and the same credential',
  );
export const bothCursors = () =>
  new ApiError(400, '`starting_after` and `ending_before` are mutually exclusive. Send only one of them');
export const malformedJson = () => new ApiError(400, 'The request body is not valid JSON. Send one JSON object');
export const bodyTooDeep = (levels: number) =>
  new ApiError(400, `The request body is nested deeper than ${levels} levels. Send a flatter document`);
export const badEncoding = () =>
  new ApiError(
    400,
    'The request body does not decode. Send it as is, or as `Content-Encoding: gzip` with a valid gzip body',
  );

// 401 is answered by the gateway alone (architecture: one layer, so that all are byte-identical).
/** The authorizer throws it; API Gateway recognizes exactly this message. */
export class Unauthorized extends Error {
  override name = 'Unauthorized';
  constructor() {
    super('Unauthorized');
  }
}
/** For operations whose credential is in the body, where no authorizer can see it. Same body and header as the gateway's. */
export const unauthorized = () => new ApiError(401, UNAUTHORIZED_MESSAGE);
export const UNAUTHORIZED_MESSAGE =
  'Invalid authentication credentials. Send a valid one as `Authorization: Bearer <credential>`';

// 403, §5.4
/** §5.4 A Read Only API key on a write operation: no code. */
export const readOnlyKey = () =>
  new ApiError(403, 'This API key is Read Only. Use a Read & Write key for operations that change something');

/** §5.4 RFC 6750 section 3.1. The gateway answers it, since a function's challenge would be renamed; here are its words. */
export const INSUFFICIENT_SCOPE_MESSAGE =
  'This credential lacks the permission that the operation needs. WWW-Authenticate names it';
/** §5.4 An access token whose scope is beyond its holder's role. */
export const insufficientRole = () =>
  new ApiError(403, 'Your role in the organization does not permit this. Ask an Admin for another role', {
    code: 'insufficient_role',
  });
/** §5.4 An operation that takes an API key only. */
export const apiKeyRequired = () =>
  new ApiError(403, 'This operation takes an organization API key only', { code: 'api_key_required' });
/** §5.4 An operation that answers for a person. */
export const userCredentialRequired = () =>
  new ApiError(403, 'This operation answers for a person. Use a personal access token or an OAuth access token', {
    code: 'user_credential_required',
  });
/** §5.2 For verbs that only an Admin may use. */
export const adminOnly = () => new ApiError(403, 'Only an Admin of the organization may do this');
/** §5.1 API keys are shown to everybody else. */
export const notForGuests = () =>
  new ApiError(403, 'Guests of the organization may not see this. Ask an Admin for another role');
/** For verbs that are no member's, whatever their role. */
export const operatorOnly = () =>
  new ApiError(403, 'Only the operator of this service may do this, at its command line (`npm run admin`)');
/** For what people do for themselves alone. */
export const forThemselvesOnly = () =>
  new ApiError(403, 'Nobody may do this for somebody else. Act as the person whom it is about');

// 404
export const notFound = (what: string) => new ApiError(404, `${what} not found`);
/** §5 Whatever is wrong with it: withdrawn, used, expired, for another address, or never made. */
export const invitationNotFound = () =>
  new ApiError(404, 'There is no such invitation for this address. Ask an Admin of the organization for a new one');

// 409
/** §5 An organization keeps at least one Admin. */
export const lastAdmin = () =>
  new ApiError(409, 'This is the last Admin of the organization. Make another member Admin first');
export const conflict = (what: string) =>
  new ApiError(409, `${what} was changed at this moment. Look again, then try again`);
export const alreadyThere = (what: string) => new ApiError(409, `${what} exists already`);
/** §5 What was deactivated stays so. */
export const organizationDeactivated = () =>
  new ApiError(409, 'This organization was deactivated, and nothing is done in it any more. Use another one');
/** §6 */
export const tooManyWebhooks = (limit: number) =>
  new ApiError(409, `This project has ${limit} webhooks already. Delete one that is not used any more, or change it`);
/** §6 Nothing is sent there. */
export const webhookDisabled = () =>
  new ApiError(409, 'This webhook is disabled. Enable it first: PUT it with `enabled` set to true');

// 413
export const bodyTooLarge = (bytes: number) =>
  new ApiError(413, `The request body is larger than ${bytes} bytes once decoded. Send it in smaller parts`);
export const answerTooLarge = () =>
  new ApiError(413, 'The response is too large. Send `Accept-Encoding: gzip`, or ask for a smaller page with `limit`');

/** §4.3 */
export const contextTooLarge = () =>
  new ApiError(
    413,
    'The failure context is larger than 1 MB. Send `Accept-Encoding: gzip`, ask for less with `detail=compact` or `detail=summary`, for fewer tests with `limit`, or cut Markdown with `max_length`',
  );

// 422
/** §4.4 */
export const runAlreadyCancelled = () => new ApiError(422, 'Run already cancelled. There is nothing more to do');
export const runHasEnded = () =>
  new ApiError(422, 'Run has ended, and what has ended stays as it is. Only a run in progress can be changed so');

// 422, the recording protocols
const recordingRefusal = (code: string, message: string) =>
  new ApiError(422, message, { code, body: { message, errors: [message] } });
export const runCancelled = () =>
  recordingRefusal('RUN_CANCELLED', 'Run is cancelled. Start a new run with another CI build id');
export const runExpired = () =>
  recordingRefusal('RUN_EXPIRED', 'Run has ended and takes no more results. Start a new run with another CI build id');
export const missingSuite = () =>
  recordingRefusal('MISSING_SUITE', 'The run has no such suite. Send the full test suite before its results');

// 5xx
/** §5.3 Whether a token is good is not known then, so nobody may be told that it is not. */
export const issuerUnavailable = (url: string, problem: string, cause?: unknown) =>
  new Error(`The authorization server at ${url} ${problem}. Check OAUTH_ISSUER, and that the server can be reached`, {
    cause,
  });
export const INTERNAL_ERROR_MESSAGE =
  'Internal error. Try again; if it persists, look up the request id in the service log';
