/** §7, §5.4 One constructor per error that clients can get. `http/answer.ts` turns errors into responses. */
interface Details {
  readonly code?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Additional members of the error body. */
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

/** `throw` as an expression: `found ?? refuse(notFound('Run'))`. */
export function refuse(error: ApiError): never {
  throw error;
}

// 400
export const invalidRequest = (problem: string) => new ApiError(400, problem);
export const unknownParameter = (name: string, known: readonly string[]) =>
  new ApiError(
    400,
    `Unknown parameter \`${name.slice(0, SHOWN_CHARACTERS).toWellFormed()}\`. Known parameters: ${known.map((one) => `\`${one}\``).join(', ')}. Encode \`;\` in a value as %3B`,
  );
const SHOWN_CHARACTERS = 64;
export const invalidCursor = () =>
  new ApiError(
    400,
    'Invalid cursor. Send the `cursor` of an item from this list, with the same filters and organization',
  );
export const bothCursors = () =>
  new ApiError(400, '`starting_after` and `ending_before` are mutually exclusive. Send only one of them');
export const malformedJson = () =>
  new ApiError(400, 'The request body is not valid JSON. Send one JSON object, without members named `__proto__`');
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

/** Recording protocols repeat ids in each message, and the copies must agree. */
export const contradictoryId = (name: string) =>
  new ApiError(
    400,
    `\`${name}\` contradicts the other ids of this request. Send the ids from the response to the claim`,
  );

export const tooManyTests = (limit: number) =>
  new ApiError(400, `A spec file has at most ${limit} tests of one group. Split the file`);
/** §6 The end of a run writes one event per group in one transaction, which bounds the number of groups. */
export const tooManyGroups = (limit: number) =>
  new ApiError(400, `A run has at most ${limit} groups. Record the other groups in a run with another CI build id`);

// Every 401 has the response of API Gateway, byte for byte.
/** Thrown by the authorizer. API Gateway turns exactly this message into a 401. */
export class Unauthorized extends Error {
  override name = 'Unauthorized';
  constructor() {
    super('Unauthorized');
  }
}
/**
 * The 401 of operations with the credential in the body, which no authorizer can see. Identical to the response of API
 * Gateway.
 */
export const unauthorized = () => new ApiError(401, UNAUTHORIZED_MESSAGE);
export const UNAUTHORIZED_MESSAGE =
  'Invalid authentication credentials. Send a valid one as `Authorization: Bearer <credential>`';

// 403, §5.4
/** §5.1, §5.4 The refusal of Read Only keys has no code. */
export const readOnlyKey = () =>
  new ApiError(403, 'This API key is Read Only. Use a Read & Write key for operations that change data');

/** §5.4 Sent by API Gateway, because a REST API would rename the `WWW-Authenticate` header of a function. */
export const INSUFFICIENT_SCOPE_MESSAGE =
  'This credential lacks the required permission. The WWW-Authenticate header names the permission';
/** §5.4 The token has the scope, but the role of its holder does not allow it. */
export const insufficientRole = () =>
  new ApiError(403, 'Your role in the organization does not allow this. Ask an Admin for another role', {
    code: 'insufficient_role',
  });
/** §5.4 */
export const apiKeyRequired = () =>
  new ApiError(403, 'This operation accepts organization API keys only', { code: 'api_key_required' });
/** §5.4 */
export const userCredentialRequired = () =>
  new ApiError(403, 'This operation needs a user. Send a personal access token or an OAuth access token', {
    code: 'user_credential_required',
  });
/** §5.1, §5.2 Only people administer credentials and members. */
export const notWithCredential = () =>
  new ApiError(403, 'API credentials cannot do this. Ask an Admin of the organization to do it');
export const adminOnly = () => new ApiError(403, 'Only an Admin of the organization can do this');
export const operatorOnly = () =>
  new ApiError(403, 'Only the operator of this service can do this, with `npm run admin` without --as');
export const ownerOnly = () =>
  new ApiError(403, 'People can do this only for themselves. Act as that person, with --as <address>');

// 404
export const notFound = (what: string) => new ApiError(404, `${what} not found`);
export const noSuchOperation = () => new ApiError(404, NO_SUCH_OPERATION_MESSAGE);
/** API Gateway sends the same text. */
export const NO_SUCH_OPERATION_MESSAGE =
  'No such operation. Check the method and the path against the API documentation at /v1/docs/openapi.json';
/** §5 The same response for every unusable invitation: withdrawn, used, expired, for another address, or unknown. */
export const invitationNotFound = () =>
  new ApiError(404, 'Invitation not found for this address. Ask an Admin of the organization for a new one');

// 409
/** §5 An organization keeps at least one Admin. */
export const lastAdmin = () =>
  new ApiError(409, 'This is the last Admin of the organization. Make another member an Admin first');
/** Lost against a concurrent change. */
export const conflict = (what: string) => new ApiError(409, `${what} was modified by someone else. Reload and retry`);
export const alreadyExists = (what: string) => new ApiError(409, `${what} already exists`);
/** §5 Until the address is proven, the account belongs to the organization that invited it first. */
export const addressNotProven = () =>
  new ApiError(
    409,
    'Another organization invited you first, and nobody has proven that your address is yours. Ask the operator of this service for a sign-in link, sign in with it, and open the invitation again',
  );
/** §5 `origin`: such as `by an invitation of Acme (3f) from Kim Roe on 2026-11-02`. */
export const belongsToAnother = (email: string, origin: string) =>
  new ApiError(
    409,
    `The account ${email} was created ${origin}. Nobody has proven that its holder owns this address. Run "accounts link --email ${email}" and give the link to the owner of the address, which ends everything that the holder set up. If you know the holder, pass the id of that organization as --invited-by to "members add"`,
  );
/** §5 Deactivation is final. */
export const organizationDeactivated = () =>
  new ApiError(409, 'This organization is deactivated and cannot be changed. Use another organization');
/** §6 */
export const tooManyWebhooks = (limit: number) =>
  new ApiError(409, `This project already has the maximum of ${limit} webhooks. Delete or reuse one`);
/** §6 A disabled webhook gets no deliveries. */
export const webhookDisabled = () =>
  new ApiError(409, 'This webhook is disabled. Enable it first: update it with `enabled: true`');

// 413
export const bodyTooLarge = (bytes: number) =>
  new ApiError(
    413,
    `The request body exceeds ${bytes} bytes when decoded. Send smaller parts, such as the tests of one shard`,
  );
export const formTooLarge = (limit: string) =>
  new ApiError(413, `The form exceeds ${limit}. Send shorter texts, or fewer fields`);
export const bodyTooIntricate = (what: string, limit: number) =>
  new ApiError(
    413,
    `The request body has more than ${limit} ${what}. Send smaller parts, such as the tests of one shard`,
  );
/** `remedies`: what would make the response to this request smaller. */
export const answerTooLarge = (what: string, remedies: readonly string[]) => {
  const [first = 'ask the operator of the service for the data', ...others] = remedies;
  const all = [first.charAt(0).toUpperCase() + first.slice(1), ...others].join(', or ');
  return new ApiError(413, `${what} is too large for one response. ${all}`);
};

// 422
/** §4.4 */
export const runAlreadyCancelled = () => new ApiError(422, 'This run is already cancelled');
/** `ends`: how each of the matching runs ended. */
export const nothingToCancel = (ends: readonly string[]) =>
  new ApiError(422, `No run was cancelled: ${ends.join('; ')}. Only a run in progress can be cancelled`);
export const runHasEnded = () => new ApiError(422, "This run has ended and can't be changed");

// 422, the recording protocols
const recordingRefusal = (code: string, message: string) =>
  new ApiError(422, message, { code, body: { message, errors: [message] } });
export const runCancelled = () =>
  recordingRefusal('RUN_CANCELLED', 'This run is cancelled. Start a new run with another CI build id');
export const runExpired = () =>
  recordingRefusal(
    'RUN_EXPIRED',
    'This run has ended and accepts no more results. Start a new run with another CI build id',
  );
export const missingSuite = () =>
  recordingRefusal('MISSING_SUITE', 'This run has no test suite yet. Send the full test suite before its results');

// 429
/** The published client retries after its own pauses, not after `Retry-After`. */
export const sessionIsBusy = (seconds: number) =>
  new ApiError(429, `A machine stopped reporting. Ask again in ${seconds} seconds to run its spec files`, {
    headers: { 'Retry-After': String(seconds) },
  });

// 5xx
/** §5.3 An internal error instead of a 401: the token may be valid, but its issuer cannot be reached. */
export const issuerUnavailable = (url: string, problem: string, cause?: unknown) =>
  new Error(`The authorization server at ${url} ${problem}. Check OAUTH_ISSUER and the network`, {
    cause,
  });
export const INTERNAL_ERROR_MESSAGE =
  'Internal error. Retry; if it persists, look up the request id in the service log';
