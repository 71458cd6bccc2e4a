/** Helpers for a refused form: its error message, and the values that were submitted. */
import type { Html } from '#shared/engine/html/html.ts';
import { makeFieldId } from '#shared/pages/design/fields.tsx';
import type { RefusedForm } from './view.ts';

export interface FieldProblem {
  /** The name of the field, if one field is wrong. */
  readonly name: string | undefined;
  readonly text: string;
}

/** Shows nothing unless the form `of` was refused. `of` may be absent if the page has only one form. */
export const RefusalMessage = ({
  refused,
  of,
  title = 'Nothing was saved.',
  problems = [],
}: {
  readonly refused: RefusedForm | undefined;
  readonly of?: string;
  readonly title?: string;
  /** Every problem, in the words of the form. Default: what the refusal says. */
  readonly problems?: readonly FieldProblem[];
}): Html => (
  <>
    {refused && (of ?? refused.operationId) === refused.operationId && (
      <div class="notice problem-text" role="alert" id="problem">
        <p>
          <strong>{title}</strong> {problems.length === 0 && refused.problem}
        </p>
        {problems.length > 0 && (
          <ul>
            {problems.map(({ name, text }) => (
              <li>{name === undefined ? text : <a href={`#${makeFieldId({ name })}`}>{text}</a>}</li>
            ))}
          </ul>
        )}
      </div>
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
