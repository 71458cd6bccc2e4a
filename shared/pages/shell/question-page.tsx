/** Asks people to confirm a change that is hard or impossible to undo. */
import type { Child, Html } from '#shared/engine/html/html.ts';
import { HiddenFields } from '#shared/pages/design/fields.tsx';
import { RefusalMessage } from './refused-form.tsx';
import type { RefusedForm } from './view.ts';

interface Props {
  readonly question: string;
  /** An explanation of what happens after the person confirms. */
  readonly children?: Child;
  readonly action: string;
  readonly refused: RefusedForm | undefined;
  readonly yes: string;
  readonly no?: string;
  /** The page to which people return if they do not confirm. */
  readonly back: string;
  readonly fields?: Readonly<Record<string, string>>;
  /** A field that the person has to fill in. */
  readonly input?: Html;
}

export const QuestionPage = ({
  question,
  children,
  action,
  refused,
  yes,
  no = 'Keep it',
  back,
  fields = {},
  input,
}: Props): Html => (
  <div class="question card">
    <h1>{question}</h1>
    <RefusalMessage refused={refused} title="Nothing was changed." />
    <p>{children}</p>
    <form method="post" action={action}>
      <HiddenFields fields={fields} />
      {input}
      <div class="actions">
        <button type="submit" class="danger">
          {yes}
        </button>
        <a class="button quiet" href={back}>
          {no}
        </a>
      </div>
    </form>
  </div>
);
