/** Helpers for a refused form: its error message, and the values that were submitted. */
import type { Html } from '#shared/engine/html/html.ts';
import type { RefusedForm } from './view.ts';

/**
 * The error message of the form `of`. Shows nothing unless this form was refused. `of` may be absent if the page has only
 * one form.
 */
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

/** The error message of a refused form, if it is about this input. */
export const problemAbout = (refused: RefusedForm | undefined, of: string, input: string): string | undefined =>
  refused?.operationId === of && refused.about.includes(input) ? refused.problem : undefined;

/** The submitted value of a field, if the form was refused. */
export function sentValue(refused: RefusedForm | undefined, of: string, name: string): string | undefined {
  return sentValues(refused, of, name)?.[0];
}

/** All submitted values of a field that may occur several times. `undefined` if this form was not refused. */
export function sentValues(refused: RefusedForm | undefined, of: string, name: string): readonly string[] | undefined {
  return refused?.operationId === of ? [refused.values[name] ?? []].flat() : undefined;
}
