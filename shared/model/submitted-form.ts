/**
 * Records that a form was submitted, so that submitting the form again has no effect, or that a client sent a request
 * with an `Idempotency-Key`.
 */
import type { Entity } from '#shared/engine/table/entity.ts';
import { composeKey } from '#shared/engine/table/keys.ts';
import { loadAttributes, toAttributes } from '#shared/engine/table/stored.ts';

export interface SubmittedForm {
  /** The name of the actor (`formatActorName`), or the kind and ids of the credential. */
  readonly actor: string;
  /** The random id that the page put into its form, or the hash of operation and key. */
  readonly formId: string;
  /** TTL in epoch seconds. */
  readonly expiresAt: number;
  /** The hash of a request with a key, and its result, encrypted with the key. */
  readonly request?: string;
  readonly sealedResult?: string;
}

export const submittedForms: Entity<Pick<SubmittedForm, 'actor' | 'formId'>, SubmittedForm> = {
  type: 'submitted form',
  guarded: false,
  removal: 'apart',
  patterns: [{ question: 'Whether a person submitted a form, or a client a request with a key, already' }],
  key: ({ actor, formId }) => ({ pk: composeKey('SUBMITTED', actor, formId), sk: 'FORM' }),
  store: toAttributes,
  load: loadAttributes,
};
