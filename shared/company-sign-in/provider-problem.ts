/** Says in one sentence why a request to a provider failed. */
import { AuthorizationResponseError, ClientError, ResponseBodyError } from 'openid-client';
import { makeVisibleLine, takeFirstCharacters } from '#shared/engine/plain-text.ts';
import { UnreachableProvider } from './guarded-fetch.ts';
import { COMPANY_LIMITS } from './limits.ts';

/** Texts of the provider are shown as one short line, because whoever runs it chooses them. */
export function describeProblem(error: unknown): string {
  const cause = findCause(error);
  if (cause instanceof UnreachableProvider) return `It cannot be reached: ${cause.message}`;
  if (error instanceof AuthorizationResponseError || error instanceof ResponseBodyError)
    return `The provider answered: ${quote([error.error, error.error_description].filter(Boolean).join(', '))}`;
  // A configuration with a member of the wrong type makes the library throw a TypeError.
  if (error instanceof ClientError || error instanceof TypeError)
    return `The answer of the provider is not valid: ${quote(error.message)}`;
  throw error;
}

function findCause(error: unknown): unknown {
  let cause = error;
  while (cause instanceof Error && !(cause instanceof UnreachableProvider) && cause.cause !== undefined)
    cause = cause.cause;
  return cause;
}

const quote = (text: string): string => makeVisibleLine(takeFirstCharacters(text, COMPANY_LIMITS.messageCharacters));
