/**
 * Makes sure that a form that creates something takes effect only once, even if it is sent again. For example,
 * reloading the page that shows a new API key must not create a second key.
 */
import { type Actor, actorName } from '#shared/access/actor.ts';
import { ABSENT, type Check, put, type Write } from '#shared/engine/table/writes.ts';
import { submittedForms } from '#shared/model/submitted-form.ts';
import type { CoreServices, WithClock } from '#shared/services.ts';
import { alreadySubmitted } from './errors.ts';
import { ORGANIZATION_LIMITS } from './limits.ts';

/** A request that changes something. If it creates an object and has no form id, a repetition creates another one. */
export interface Submission {
  readonly actor: Actor;
  /** The random id of the form, from `newFormId`. */
  readonly formId?: string | undefined;
  /** Conditions on rows that were read before. The request is refused with 409 if somebody has changed them since. */
  readonly expects?: readonly Check[] | undefined;
}

/** A random id for a hidden form field. */
export const newFormId = ({ randomId }: Pick<CoreServices, 'randomId'>): string =>
  randomId(ORGANIZATION_LIMITS.formIdCharacters);

/** Throws 409 if the form was submitted before. Returns the conditional write that marks it as submitted. */
export async function onlyOnce({ table, now }: WithClock, { actor, formId }: Submission): Promise<Write[]> {
  if (formId === undefined) return [];
  const key = { actor: actorName(actor), formId };
  if (await table.get(submittedForms, key, { consistent: true })) throw alreadySubmitted();
  const expiresAt = Math.ceil((now() + ORGANIZATION_LIMITS.submittedFormMilliseconds) / 1000);
  return [put(submittedForms, { ...key, expiresAt }, ABSENT)];
}
