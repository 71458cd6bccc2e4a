/** One webhook: its settings, its state and its deliveries. */
import { may } from '#shared/access/may.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { FullTime } from '#shared/pages/design/format.tsx';
import { webhookHref, withQuery } from '#shared/pages/shell/hrefs.ts';
import { PageLinks, type Paging } from '#shared/pages/shell/paging.tsx';
import type { RefusedForm } from '#shared/pages/shell/view.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { headersOf } from '#shared/webhooks/header-rules.ts';
import { Deliveries, type ShownDelivery } from './webhook-deliveries.tsx';
import { eventsText, type ShownWebhook, WebhookState, webhookName } from './webhook-names.tsx';

interface Props {
  readonly visit: ProjectVisit;
  readonly webhook: ShownWebhook;
  readonly deliveries: readonly (ShownDelivery & { readonly cursor: string })[];
  readonly paging: Paging;
  readonly refused: RefusedForm | undefined;
}

export const WebhookPage = ({ visit, webhook, deliveries, paging, refused }: Props): Html => (
  <>
    <h1>{webhookName(webhook)}</h1>
    {refused && (
      <p class="notice problem-text" role="alert">
        <strong>Nothing was sent or changed.</strong> {refused.problem}
      </p>
    )}
    <p>
      <WebhookState webhook={webhook} />
    </p>
    <Settings webhook={webhook} />
    {may(visit.person, 'webhooks:write') && <Actions visit={visit} webhook={webhook} />}
    <h2 id="deliveries">Deliveries</h2>
    <p>
      <a href={webhookHref(visit, webhook.hookId)}>Refresh</a>
    </p>
    <Deliveries visit={visit} webhook={webhook} deliveries={deliveries} />
    <PageLinks paging={paging} href={(cursors) => withQuery(webhookHref(visit, webhook.hookId), cursors)} />
  </>
);

const Settings = ({ webhook }: { readonly webhook: ShownWebhook }): Html => (
  <dl>
    <dt>URL</dt>
    <dd>
      <code>{webhook.url}</code>
    </dd>
    <dt>Events</dt>
    <dd>{eventsText(webhook)}</dd>
    <dt>Headers</dt>
    <dd>{headerNames(webhook.headers)}</dd>
    <dt>Signed</dt>
    <dd>{webhook.signed ? 'yes, as Standard Webhooks' : 'no'}</dd>
    <dt>Changed</dt>
    <dd>
      <FullTime at={webhook.updatedAt} />
    </dd>
  </dl>
);

/** The names of the headers. Names only: header values are secrets, which only the form shows. */
const headerNames = (headers: string | null): string =>
  headersOf(headers)
    .map(([name]) => `${name}: ••••`)
    .join(', ') || 'none';

function Actions({ visit, webhook }: Pick<Props, 'visit' | 'webhook'>): Html {
  const { hookId, disabled, signed } = webhook;
  return (
    <div class="actions">
      {!disabled && (
        <form method="post" action={webhookHref(visit, hookId, 'test')}>
          <button type="submit">Send a test</button>
        </form>
      )}
      <form method="post" action={webhookHref(visit, hookId, 'enabled')}>
        <input type="hidden" name="enabled" value={disabled ? 'true' : 'false'} />
        <button type="submit" class="quiet">
          {disabled ? 'Enable and send a test' : 'Disable'}
        </button>
      </form>
      <a class="button quiet" href={webhookHref(visit, hookId, 'edit')}>
        Change…
      </a>
      <a class="button quiet" href={webhookHref(visit, hookId, 'secret')}>
        {signed ? 'Rotate the signing secret…' : 'Sign requests…'}
      </a>
      {signed && (
        <a class="button quiet" href={webhookHref(visit, hookId, 'secret', 'delete')}>
          Delete the signing secret…
        </a>
      )}
      <a class="button quiet" href={webhookHref(visit, hookId, 'delete')}>
        Delete…
      </a>
    </div>
  );
}
