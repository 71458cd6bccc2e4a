/** §7 Errors that only the MCP server returns. Each is named by what is wrong, as it reads after `throw`. */
import { ApiError } from '#shared/engine/errors.ts';
import { findKind, findRemedy } from './argument-sources.ts';

/**
 * Adds to an error about an unknown or missing id which tool lists the right ones, because people paste names, titles
 * and build ids.
 */
export function addRemedy(error: ApiError): ApiError {
  const { missing, about = [] } = error.details;
  // A 400 names the arguments that are wrong, and a 404 the kind of object that does not exist.
  const kinds = error.statusCode === 400 ? about.map(findKind) : [missing];
  const remedies = [...new Set(kinds.flatMap((kind) => findRemedy(kind) ?? []))];
  return remedies.length === 0
    ? error
    : new ApiError(error.statusCode, [error.message, ...remedies].join('. '), error.details);
}

const SHOWN_CHARACTERS = 64;

const quoteName = (name: string): string => `\`${name.slice(0, SHOWN_CHARACTERS).toWellFormed()}\``;

const describeKnownArguments = (names: readonly string[]): string =>
  names.length > 0
    ? `Known arguments: ${names.map(quoteName).join(', ')}`
    : 'This tool has no arguments. Call it without any';

export const unknownArgument = (name: string, knownNames: readonly string[]): ApiError =>
  new ApiError(400, `Unknown argument ${quoteName(name)}. ${describeKnownArguments(knownNames)}`);

/** For example `runId` and `run_id`: which of the two values counts would be a guess. */
export const repeatedArgument = (name: string): ApiError =>
  new ApiError(400, `The argument ${quoteName(name)} was sent in two spellings. Send it once`);

/** `reason` says what to do instead. */
export const refusedArgument = (name: string, reason: string): ApiError =>
  new ApiError(400, `This tool does not accept the argument ${quoteName(name)}. ${reason}`);

/** §5.4 Outside MCP, the authorizer denies the request with a `WWW-Authenticate` challenge instead. */
export const insufficientScope = (permission: string): ApiError =>
  new ApiError(
    403,
    `This credential lacks the permission ${permission}. Ask the user to provide a credential that has this permission, or to connect again and tick it on the page that asks for consent`,
    { code: 'insufficient_scope' },
  );

/** The MCP specification requires servers to refuse pages of other origins, against DNS rebinding. */
export const foreignPage = (): ApiError =>
  new ApiError(
    403,
    'The MCP server refuses requests from web pages of other origins. Use a client outside the browser',
  );

export const batchTooLarge = (limit: number): ApiError =>
  new ApiError(400, `A batch may contain at most ${limit} messages. Send smaller batches`);
