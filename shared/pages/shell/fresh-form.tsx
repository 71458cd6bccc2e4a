/** A form that needs a recent sign-in, on a page that does not. */
import type { Child, Html } from '#shared/engine/html/html.ts';
import type { AccountVisit } from '#shared/sign-in/visit.ts';
import { linkToConfirm } from './hrefs.ts';

interface Props {
  readonly visit: AccountVisit;
  /** Whether the sign-in is recent enough to fill in the form, or the form was just refused. */
  readonly isOpen: boolean;
  /** The page to which people return after they confirmed, without the base path. */
  readonly returnTo: string;
  readonly form: string;
  /** What the person does with the form, such as "create a badge". */
  readonly action: string;
  readonly children?: Child;
}

/** Asks people to confirm who they are before they fill in the form, so that nothing that they typed is lost. */
export const FreshForm = ({ visit, isOpen, returnTo, form, action, children }: Props): Html =>
  isOpen ? (
    <>{children}</>
  ) : (
    <>
      <p>To {action}, confirm first that it is you.</p>
      <p>
        <a class="button quiet" href={linkToConfirm(visit, returnTo, form)}>
          Confirm that it is you
        </a>
      </p>
    </>
  );
