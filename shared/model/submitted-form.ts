/** Records that a form was submitted, so that submitting the form again has no effect. */
import type { Entity } from '#shared/engine/table/entity.ts';
import { composeKey } from '#shared/engine/table/keys.ts';
import { loadAttributes, toAttributes } from '#shared/engine/table/stored.ts';

export interface SubmittedForm {
  /** The name of the actor (`formatActorName`). */
  readonly actor: string;
  /** The random id that the page put into its form. */
  readonly formId: string;
  /** TTL in epoch seconds. */
  readonly expiresAt: number;
}

export const submittedForms: Entity<Pick<SubmittedForm, 'actor' | 'formId'>, SubmittedForm> = {
  type: 'submitted form',
  guarded: false,
  removal: 'apart',
  patterns: [{ question: 'Whether a person submitted a form already' }],
  key: ({ actor, formId }) => ({ pk: composeKey('SUBMITTED', actor, formId), sk: 'FORM' }),
  store: toAttributes,
  load: loadAttributes,
};
