/** The parts of a page that its layout and its server need. */

import type { ApiError } from '#shared/engine/errors.ts';
import type { Html } from '#shared/engine/html/html.ts';
import type { FormFields } from '#shared/engine/http/form.ts';

/** The content of a page, which the layout surrounds. */
export interface View {
  /** The most special part first. The layout adds the project and the product. */
  readonly title: string;
  readonly body: Html;
  /** The parents of this page, and its own name last. */
  readonly breadcrumbs?: readonly Breadcrumb[];
  /** The tab of the project's bar that is open. */
  readonly tab?: string;
  /** Whether the page contains a secret or a form that works once, and so may not be stored. */
  readonly hasSecret?: boolean;
  /** The script of this page, in addition to the one of all pages. */
  readonly script?: 'passkey.js' | 'import.js';
  /** Whether the script sends files to the store of artifacts. */
  readonly uploads?: boolean;
  readonly cookies?: readonly string[];
  /** A further place at which the forms of this page may end: an origin, or a scheme such as `app:`. */
  readonly formTarget?: string;
  /** Whether a run that just ended does not count in the numbers of the page yet. */
  readonly isBehind?: boolean;
  /** Why the query was refused. The page shows its default instead. */
  readonly queryProblem?: string;
  /** The refusal of a part of the query. The page has its status, and shows the rest. */
  readonly problem?: ApiError | undefined;
}

export interface Breadcrumb {
  readonly name: string;
  readonly href?: string;
}

/** A submitted form that was refused. Its page shows the problem and the sent values. */
export interface RefusedForm {
  readonly operationId: string;
  readonly problem: string;
  readonly values: FormFields;
}
