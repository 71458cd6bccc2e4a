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
  recordsOnly,
  userCredentialRequired,
} from './errors.ts';

const ERRORS = {
  readOnlyKey,
  recordsOnly,
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
export const makeDenialError = (denial: Denial): ApiError => ERRORS[denial]();

/** In a REST API, the context can only have plain values. Without a schema library, the authorizer stays small. */
export const toContext = (actor: ApiActor, denial: Denial | undefined): Record<string, string> => ({
  actor: JSON.stringify(actor),
  // For the access log.
  organizationId: actor.organizationId,
  ...(denial ? { denial } : {}),
});
