/** A form that creates something works once: a reload of its answer must not create a second key. */
import { type Actor, actorName } from '#shared/access/actor.ts';
import { alreadySubmitted } from '#shared/engine/page-errors.ts';
import { ABSENT, put, type Write } from '#shared/engine/table/writes.ts';
import { submittedForms } from '#shared/model/submitted-form.ts';
import type { CoreServices } from '#shared/services.ts';
import { ORGANIZATION_LIMITS } from './limits.ts';

/** A request of a page. Without a form, a repeated request creates again. */
export interface Submission {
  readonly actor: Actor;
  /** The random id of the form, from `newFormId`. */
  readonly formId?: string | undefined;
}

/** An id that a page puts into its form. */
export const newFormId = ({ randomId }: Pick<CoreServices, 'randomId'>): string =>
  randomId(ORGANIZATION_LIMITS.formIdCharacters);

/** Throws 409 if the form was submitted before. Returns the write that refuses the next submission. */
export async function onlyOnce(
  { table, now }: Pick<CoreServices, 'table' | 'now'>,
  { actor, formId }: Submission,
): Promise<Write[]> {
  if (formId === undefined) return [];
  const key = { actor: actorName(actor), formId };
  if (await table.get(submittedForms, key, { consistent: true })) throw alreadySubmitted();
  const expiresAt = Math.ceil((now() + ORGANIZATION_LIMITS.submittedFormMilliseconds) / 1000);
  return [put(submittedForms, { ...key, expiresAt }, ABSENT)];
}
