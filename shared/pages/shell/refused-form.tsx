/** Helpers for a refused form: its error message, and the values that were submitted. */
import type { Html } from '#shared/engine/html/html.ts';
import type { RefusedForm } from './view.ts';

/** Shows nothing unless the form `of` was refused. `of` may be absent if the page has only one form. */
export const RefusalMessage = ({
  refused,
  of,
  title = 'Nothing was saved.',
}: {
  readonly refused: RefusedForm | undefined;
  readonly of?: string;
  readonly title?: string;
}): Html => (
  <>
    {refused && (of ?? refused.operationId) === refused.operationId && (
      <p class="notice problem-text" role="alert" id="problem">
        <strong>{title}</strong> {refused.problem}
      </p>
    )}
  </>
);

export const findInputProblem = (refusal: RefusedForm | undefined, of: string, input: string): string | undefined =>
  refusal?.operationId === of && refusal.about.includes(input) ? refusal.problem : undefined;

export function findSentValue(refusal: RefusedForm | undefined, of: string, name: string): string | undefined {
  return findSentValues(refusal, of, name)?.[0];
}

/** Returns `undefined` if this form was not refused. */
export function findSentValues(
  refusal: RefusedForm | undefined,
  of: string,
  name: string,
): readonly string[] | undefined {
  return refusal?.operationId === of ? [refusal.values[name] ?? []].flat() : undefined;
}
