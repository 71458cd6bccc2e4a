/**
 * §5.4 The errors for actions that the permission table denies, and how the authorizer passes them to the functions.
 */
import type { ApiError } from '#shared/engine/errors.ts';
import type { ApiActor } from './actor.ts';
import {
  adminOnly,
  apiKeyRequired,
  insufficientRole,
  notWithCredential,
  operatorOnly,
  ownerOnly,
  readOnlyKey,
  userCredentialRequired,
} from './errors.ts';

const ERRORS = {
  readOnlyKey,
  insufficientRole,
  apiKeyRequired,
  userCredentialRequired,
  notWithCredential,
  adminOnly,
  operatorOnly,
  ownerOnly,
} as const satisfies Readonly<Record<string, () => ApiError>>;

/** The reason for a 403 that is sent without a `WWW-Authenticate` challenge. */
export type Denial = keyof typeof ERRORS;

export const isDenial = (text: string): text is Denial => Object.hasOwn(ERRORS, text);
export const errorFor = (denial: Denial): ApiError => ERRORS[denial]();

/**
 * Builds the context that the authorizer returns to API Gateway. In a REST API, the context can contain only plain
 * values such as strings. No schema library is used here, to keep the authorizer small.
 */
export const toContext = (actor: ApiActor, denial: Denial | undefined): Record<string, string> => ({
  actor: JSON.stringify(actor),
  // For the access log.
  organizationId: actor.organizationId,
  ...(denial ? { denial } : {}),
});
