/** A form that creates something works only once: reloading the page of a new API key must not create a second one. */
import { type Actor, formatActorName } from '#shared/access/actor.ts';
import { ABSENT, type Check, put, type Write } from '#shared/engine/table/writes.ts';
import { submittedForms } from '#shared/model/submitted-form.ts';
import type { CoreServices, WithClock } from '#shared/services.ts';
import { alreadySubmitted } from './errors.ts';
import { ORGANIZATION_LIMITS } from './limits.ts';

/** A request that changes something. If it creates an object and has no form id, a repetition creates another one. */
export interface Submission {
  readonly actor: Actor;
  /** The random id of the form, from `makeFormId`. */
  readonly formId?: string | undefined;
  /** Of a client that may send its request again. */
  readonly repetition?: Repetition | undefined;
  /** Conditions on rows that were read before. The request is refused with 409 if somebody has changed them since. */
  readonly expects?: readonly Check[] | undefined;
}

/** A request that stores its result when it changes something, so that the same request later gets this result. */
export interface Repetition {
  /** Throws if the stored result is that of another request. */
  readonly find: (services: WithClock) => Promise<{ readonly result: unknown } | undefined>;
  readonly plan: (services: WithClock, result: unknown) => Write;
}

export const makeFormId = ({ randomId }: Pick<CoreServices, 'randomId'>): string =>
  randomId(ORGANIZATION_LIMITS.formIdCharacters);

/** Throws 409 if the form was submitted before. Returns the conditional write that marks it as submitted. */
export async function ensureFirstSubmission(
  { table, now }: WithClock,
  { actor, formId }: Submission,
): Promise<Write[]> {
  if (formId === undefined) return [];
  const key = { actor: formatActorName(actor), formId };
  if (await table.get(submittedForms, key, { consistent: true })) throw alreadySubmitted();
  const expiresAt = Math.ceil((now() + ORGANIZATION_LIMITS.submittedFormMilliseconds) / 1000);
  return [put(submittedForms, { ...key, expiresAt }, ABSENT)];
}
