/** What a page returns to the layout and the server. */

import type { ApiError } from '#shared/engine/errors.ts';
import type { Html } from '#shared/engine/html/html.ts';
import type { FormFields } from '#shared/engine/http/form.ts';

/** The content of a page, which the layout surrounds. */
export interface View {
  /** The page's own title. The layout appends the names of project and product. */
  readonly title: string;
  readonly body: Html;
  /** The parents of this page, and its own name last. */
  readonly breadcrumbs?: readonly Breadcrumb[];
  /** The active item of the project's navigation. */
  readonly tab?: string;
  /** The page contains a secret or a form that works once, so it is sent with `no-store`. */
  readonly hasSecret?: boolean;
  /** An additional script for this page. */
  readonly script?: 'passkey.js' | 'import.js';
  /** Whether the script uploads files to the bucket, which the content security policy must allow. */
  readonly uploads?: boolean;
  readonly cookies?: readonly string[];
  /** Whether outsiders see this page through a share: it has no navigation, and search engines ignore it. */
  readonly isShared?: boolean;
  /** An additional target for this page's forms (`form-action`): an origin, or a scheme such as `app:`. */
  readonly formTarget?: string;
  /** Whether the numbers on the page lack a run that has just ended. */
  readonly isBehind?: boolean;
  /** Why the query was refused. The page shows its default instead. */
  readonly queryProblem?: ApiError;
  /** An error in a part of the query. The page is sent with its status, and shows the rest. */
  readonly problem?: ApiError | undefined;
}

export interface Breadcrumb {
  readonly name: string;
  readonly href?: string;
}

/** A refused form. Its page shows the error and the sent values. */
export interface RefusedForm {
  readonly operationId: string;
  readonly problem: string;
  /** The inputs that the problem is about, by the names of their members in the request. */
  readonly about: readonly string[];
  readonly values: FormFields;
}
