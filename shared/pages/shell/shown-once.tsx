/** Parts of forms that work only once, and of pages that show a secret only once. */
import type { Html } from '#shared/engine/html/html.ts';
import { CopiedText } from '#shared/pages/design/parts.tsx';

/** Makes a form work only once. `formId` comes from `makeFormId`. */
export const FormId = ({ formId }: { readonly formId: string }): Html => (
  <input type="hidden" name="formId" value={formId} />
);

/** `name` completes “Copy … now”, such as `this API key`. */
export const ShownOnce = ({ name, value }: { readonly name: string; readonly value: string }): Html => (
  <section class="card reading">
    <p>
      <strong>Copy {name} now.</strong> It is shown only once.
    </p>
    <CopiedText text={value} />
  </section>
);
