/** §5.4 The refusals of the permission table, and how the authorizer passes them to the functions. */
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

/** A 403 without a `WWW-Authenticate` challenge. */
export type Denial = keyof typeof ERRORS;

export const isDenial = (text: string): text is Denial => Object.hasOwn(ERRORS, text);
export const errorFor = (denial: Denial): ApiError => ERRORS[denial]();

/**
 * The authorizer's context. REST APIs allow only flat strings in it. Built without a schema library to keep the
 * authorizer small.
 */
export const toContext = (actor: ApiActor, denial: Denial | undefined): Record<string, string> => ({
  actor: JSON.stringify(actor),
  // For the access log.
  organizationId: actor.organizationId,
  ...(denial ? { denial } : {}),
});
