/** What the inputs of a form contain: after a refusal the submitted values, and otherwise the stored ones. */
import { problemAbout, sentValue } from './refused-form.tsx';
import type { RefusedForm } from './view.ts';

export function entriesOf(refused: RefusedForm | undefined, of: string) {
  const sent = (name: string) => sentValue(refused, of, name);
  return {
    sent,
    /** The name, the value and the error message of an input. */
    field: (name: string, stored?: string | number) => ({
      name,
      value: sent(name) ?? stored?.toString(),
      problem: problemAbout(refused, of, name),
    }),
    /** The name and the state of a checkbox. Browsers do not send unchecked checkboxes. */
    box: (name: string, stored: boolean) => ({
      name,
      value: 'true',
      checked: refused?.operationId === of ? sent(name) === 'true' : stored,
    }),
  };
}
