/** §6 Shows a signing secret once. */
import type { Html } from '#shared/engine/html/html.ts';
import { PageHead } from '#shared/pages/design/parts.tsx';
import { linkToWebhooks } from '#shared/pages/shell/hrefs.ts';
import { ShownOnce } from '#shared/pages/shell/shown-once.tsx';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';

interface Props {
  readonly visit: ProjectVisit;
  readonly title: string;
  readonly hookId: string;
  readonly secret: string;
}

export const WebhookSecretPage = ({ visit, title, hookId, secret }: Props): Html => (
  <>
    <PageHead title={title} />
    <ShownOnce name="the signing secret" value={secret} />
    <p>
      Configure the secret in the service that receives the requests. Requests carry the headers <code>webhook-id</code>
      , <code>webhook-timestamp</code> and <code>webhook-signature</code>, which any Standard Webhooks library can
      verify.
    </p>
    <p>
      <a href={linkToWebhooks(visit, hookId)}>Back to the webhook</a>
    </p>
  </>
);
