/** What a page returns to the layout and the server. */

import type { ApiError, RequestIssue } from '#shared/engine/errors.ts';
import type { Child, Html } from '#shared/engine/html/html.ts';
import type { FormFields } from '#shared/engine/http/form.ts';
import type { Visit } from '#shared/sign-in/visit.ts';

/** The content of a page, which the layout surrounds. */
export interface View {
  /** The page's own title. The layout appends the names of the project and the product. */
  readonly title: string;
  readonly body: Html;
  /** The pages above this page in the hierarchy, followed by the name of this page. */
  readonly breadcrumbs?: readonly Breadcrumb[];
  readonly tab?: string;
  /** Beside the breadcrumbs: the way to the previous and the next page of a row, such as the failures of a run. */
  readonly neighbours?: Child;
  /**
   * Whether browsers must not cache the page, for example because it contains a secret, or a form that works only once.
   * The page is then sent with `no-store`.
   */
  readonly hasSecret?: boolean;
  readonly script?: 'passkey.js' | 'import.js' | undefined;
  /** Whether the script uploads files to the bucket. The content security policy must then allow these uploads. */
  readonly uploads?: boolean;
  readonly cookies?: readonly string[];
  /** Whether people sign in on this page, so that its header has no link to it. */
  readonly isSignIn?: boolean;
  /** Whether outsiders see this page through a share: it has no navigation, and search engines ignore it. */
  readonly isShared?: boolean;
  /** An additional target for this page's forms (`form-action`): an origin, or a scheme such as `app:`. */
  readonly formTarget?: string;
  /** Whether a run that has just ended is still missing from the numbers on the page. */
  readonly isBehind?: boolean;
  /** What the form before this page has done. */
  readonly said?: string | undefined;
  /** Why the query was refused, in a sentence. The page is then shown as if there were no query. */
  readonly queryProblem?: string | undefined;
  /** An error in a part of the query. It sets the status code, and everything else is shown as usual. */
  readonly problem?: ApiError | undefined;
}

export interface Breadcrumb {
  readonly name: string;
  readonly href?: string;
}

/** A refused form. The page of the form shows the error and the submitted values. */
export interface RefusedForm {
  readonly operationId: string;
  readonly problem: string;
  /** The inputs that the error is about, named like the properties of the request. */
  readonly about: readonly string[];
  readonly issues: readonly RequestIssue[];
  readonly values: FormFields;
  /** Additional properties of the error response, such as the fields that an issue tracker requires. */
  readonly body?: Readonly<Record<string, unknown>> | undefined;
}

/** What a page with forms needs: the visit, and the form that was refused, if there is one. */
export interface WithForms<OfVisit extends Visit> {
  readonly visit: OfVisit;
  readonly refused: RefusedForm | undefined;
}
