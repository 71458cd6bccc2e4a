/** §7 Errors that only the MCP server returns. */
import { ApiError } from '#shared/engine/errors.ts';
import { findKind, findRemedy } from './argument-sources.ts';

/**
 * An unknown or missing id is refused with the tool that lists the right ones, because people paste names, titles and
 * build ids.
 */
export function addRemedy(error: ApiError): ApiError {
  const { missing, about = [] } = error.details;
  const kinds = error.statusCode === 400 ? about.map(findKind) : [missing];
  const remedies = [...new Set(kinds.flatMap((kind) => findRemedy(kind) ?? []))];
  return remedies.length === 0
    ? error
    : new ApiError(error.statusCode, [error.message, ...remedies].join('. '), error.details);
}

const SHOWN_CHARACTERS = 64;

const quoteName = (name: string): string => `\`${name.slice(0, SHOWN_CHARACTERS).toWellFormed()}\``;

export const unknownArgument = (name: string, knownNames: readonly string[]) =>
  new ApiError(
    400,
    `Unknown argument ${quoteName(name)}. ${knownNames.length > 0 ? `Known arguments: ${knownNames.map(quoteName).join(', ')}` : 'This tool has no arguments. Call it without any'}`,
  );
export const repeatedArgument = (name: string) =>
  new ApiError(400, `The argument ${quoteName(name)} was sent in two spellings. Send it once`);
export const refusedArgument = (name: string, reason: string) =>
  new ApiError(400, `This tool does not accept the argument ${quoteName(name)}. ${reason}`);

/** §5.4 Outside MCP, the authorizer denies the request with a `WWW-Authenticate` challenge instead. */
export const insufficientScope = (permission: string) =>
  new ApiError(
    403,
    `This credential lacks the permission ${permission}. Ask the user to provide a credential that has this permission, or to connect again and tick it on the page that asks for consent`,
    { code: 'insufficient_scope' },
  );

/** The MCP specification requires servers to refuse pages of other origins, against DNS rebinding. */
export const foreignPage = () =>
  new ApiError(
    403,
    'The MCP server refuses requests from web pages of other origins. Use a client outside the browser',
  );
export const batchTooLarge = (limit: number) =>
  new ApiError(400, `A batch may contain at most ${limit} messages. Send smaller batches`);
