/** The page that replaces the rule form if the rule has conditions that the form does not support. */
import type { Html } from '#shared/engine/html/html.ts';

interface Props {
  readonly heading: string;
  readonly actionId: string;
  readonly backHref: string;
}

export const UnknownConditions = ({ heading, actionId, backHref }: Props): Html => (
  <>
    <h1>{heading}</h1>
    <p class="notice">
      This rule has conditions that this form cannot show, such as a range of dates. Change the rule with{' '}
      <code>PUT /v1/actions/{actionId}</code>.
    </p>
    <p>
      <a href={backHref}>Back to the rule</a>
    </p>
  </>
);
