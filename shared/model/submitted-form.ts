/** A form that was submitted. A second submission of the same form creates nothing. */
import type { Entity } from '#shared/engine/table/entity.ts';
import { composed } from '#shared/engine/table/keys.ts';
import { stored } from '#shared/engine/table/stored.ts';

export interface SubmittedForm {
  readonly accountId: string;
  /** The random id that the page put into its form. */
  readonly formId: string;
  /** Seconds. */
  readonly expiresAt: number;
}

export const submittedForms: Entity<Pick<SubmittedForm, 'accountId' | 'formId'>, SubmittedForm> = {
  type: 'submitted form',
  guarded: false,
  removal: 'apart',
  patterns: [{ question: 'Whether a form was submitted already', key: 'pk = SUBMITTED#account#form, sk = FORM' }],
  key: ({ accountId, formId }) => ({ pk: composed('SUBMITTED', accountId, formId), sk: 'FORM' }),
  store: (form) => ({ ...form }),
  load: (row) => stored<SubmittedForm>(row),
};
