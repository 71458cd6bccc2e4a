/** A form that was refused: the reason, and the values that were sent. */
import type { Html } from '#shared/engine/html/html.ts';
import type { RefusedForm } from './view.ts';

/** Why a form of this page was refused. */
export const RefusalMessage = ({
  refused,
  of,
  title = 'Not saved.',
}: {
  readonly refused: RefusedForm | undefined;
  readonly of: string;
  readonly title?: string;
}): Html => (
  <>
    {refused?.operationId === of && (
      <p class="notice problem-text" role="alert" id="problem">
        <strong>{title}</strong> {refused.problem}
      </p>
    )}
  </>
);

/** Why a form was refused, if the message names this input: `name of a project`. */
export const problemAbout = (refused: RefusedForm | undefined, of: string, input: string): string | undefined =>
  refused?.operationId === of && refused.problem.includes(input) ? refused.problem : undefined;

/** The sent value of a refused form. */
export function sentValue(refused: RefusedForm | undefined, of: string, name: string): string | undefined {
  return sentValues(refused, of, name)?.[0];
}

/** All sent values of a field that may repeat. Without a refused form, `undefined`. */
export function sentValues(refused: RefusedForm | undefined, of: string, name: string): readonly string[] | undefined {
  return refused?.operationId === of ? [refused.values[name] ?? []].flat() : undefined;
}
