/** Asks people to confirm a change that is hard or impossible to undo. */
import type { Child, Html } from '#shared/engine/html/html.ts';
import { RefusalMessage } from './refused-form.tsx';
import type { RefusedForm } from './view.ts';

interface Props {
  readonly question: string;
  /** An explanation of what happens after the person confirms. */
  readonly children?: Child;
  /** The address of the form. */
  readonly action: string;
  /** The form's operation id. */
  readonly of: string;
  readonly refused: RefusedForm | undefined;
  readonly yes: string;
  readonly no: { readonly name: string; readonly href: string };
  /** Hidden fields of the form. */
  readonly fields?: Readonly<Record<string, string>>;
  /** A field that the person has to fill in. */
  readonly input?: Html;
}

export const QuestionPage = ({ question, children, action, of, refused, yes, no, fields = {}, input }: Props): Html => (
  <div class="question card">
    <h1>{question}</h1>
    <RefusalMessage refused={refused} of={of} title="Nothing was changed." />
    <p>{children}</p>
    <form method="post" action={action}>
      {Object.entries(fields).map(([name, value]) => (
        <input type="hidden" name={name} value={value} />
      ))}
      {input}
      <div class="actions">
        <button type="submit" class="danger">
          {yes}
        </button>
        <a class="button quiet" href={no.href}>
          {no.name}
        </a>
      </div>
    </form>
  </div>
);
