/**
 * The page that opens a share. The script takes the secret from the fragment of the link. Without JavaScript, people
 * paste it.
 */
import type { Html } from '#shared/engine/html/html.ts';
import { EntryPage } from '#shared/pages/design/entry-page.tsx';
import { TextField } from '#shared/pages/design/fields.tsx';
import { linkToShared } from '#shared/pages/shell/hrefs.ts';
import { RefusalMessage } from '#shared/pages/shell/refused-form.tsx';
import type { WithForms } from '#shared/pages/shell/view.ts';
import type { Visit } from '#shared/sign-in/visit.ts';

export const OpenSharePage = ({ visit, refused }: WithForms<Visit>): Html => (
  <EntryPage title="A shared test result" lead="Somebody sent you a link to a result of automated tests.">
    <RefusalMessage refused={refused} of="submitShared" title="The result cannot be shown." />
    {refused ? (
      <section class="card" aria-label="What you can do">
        <p>Ask whoever sent you the link for a new one.</p>
        <details>
          <summary>Enter the code of another link</summary>
          <CodeForm visit={visit} />
        </details>
      </section>
    ) : (
      <section class="card" aria-label="Open the shared result">
        <CodeForm visit={visit} />
      </section>
    )}
  </EntryPage>
);

const CodeForm = ({ visit }: { readonly visit: Visit }): Html => (
  <form method="post" action={linkToShared(visit)}>
    <TextField
      label="Link code"
      name="secret"
      hint="The part of the link after the # sign"
      autocomplete="off"
      fromFragment="submit"
      required
    />
    <button type="submit">Show the result</button>
  </form>
);
