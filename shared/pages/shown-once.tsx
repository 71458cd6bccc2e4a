/** Forms that create a value, and the one page that shows it. */
import type { Html } from '#shared/engine/html/html.ts';

/** The field that makes a form work once. `formId` comes from `newFormId`. */
export const FormId = ({ formId }: { readonly formId: string }): Html => (
  <input type="hidden" name="formId" value={formId} />
);

/** `name` follows "Copy": `this API key`. */
export const ShownOnce = ({ name, value }: { readonly name: string; readonly value: string }): Html => (
  <section class="card">
    <p>
      <strong>Copy {name} now.</strong> It is shown only here and only once.
    </p>
    <pre class="wrap">{value}</pre>
    <button type="button" class="quiet" hidden data-copy={value}>
      Copy
    </button>
  </section>
);
