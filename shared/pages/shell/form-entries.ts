/** What the inputs of a form contain: after a refusal the submitted values, and otherwise the stored ones. */
import { findInputProblem, findSentValue, findSentValues } from './refused-form.tsx';
import type { RefusedForm } from './view.ts';

export function readFormEntries(refusal: RefusedForm | undefined, of: string) {
  const getSent = (name: string) => findSentValue(refusal, of, name);
  const getProblem = (name: string) => findInputProblem(refusal, of, name);
  return {
    sent: getSent,
    all: (name: string) => findSentValues(refusal, of, name),
    problem: getProblem,
    field: (name: string, storedValue?: string | number) => ({
      name,
      value: getSent(name) ?? storedValue?.toString(),
      problem: getProblem(name),
    }),
    /** The name and the state of a checkbox. Browsers do not send unchecked checkboxes. */
    box: (name: string, storedState: boolean) => ({
      name,
      value: 'true',
      checked: refusal?.operationId === of ? getSent(name) === 'true' : storedState,
    }),
  };
}
