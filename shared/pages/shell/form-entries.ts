/** What the inputs of a form contain: after a refusal the submitted values, and otherwise the stored ones. */
import { problemAbout, sentValue, sentValues } from './refused-form.tsx';
import type { RefusedForm } from './view.ts';

export function entriesOf(refused: RefusedForm | undefined, of: string) {
  const sent = (name: string) => sentValue(refused, of, name);
  const problem = (name: string) => problemAbout(refused, of, name);
  return {
    sent,
    /** All values of an input that may occur several times. */
    all: (name: string) => sentValues(refused, of, name),
    problem,
    /** The name, the value and the error message of an input. */
    field: (name: string, stored?: string | number) => ({
      name,
      value: sent(name) ?? stored?.toString(),
      problem: problem(name),
    }),
    /** The name and the state of a checkbox. Browsers do not send unchecked checkboxes. */
    box: (name: string, stored: boolean) => ({
      name,
      value: 'true',
      checked: refused?.operationId === of ? sent(name) === 'true' : stored,
    }),
  };
}
