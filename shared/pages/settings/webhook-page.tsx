/** One webhook: its settings, its state and its deliveries. */
import { may } from '#shared/access/may.ts';
import type { Html } from '#shared/engine/html/html.ts';
import { PostButton } from '#shared/pages/design/fields.tsx';
import { FullTime } from '#shared/pages/design/format.tsx';
import { Icon } from '#shared/pages/design/icon.tsx';
import { Fact, Notice, PageHead, Panel } from '#shared/pages/design/parts.tsx';
import { addQuery, linkToWebhooks } from '#shared/pages/shell/hrefs.ts';
import { isOfDeletedProject } from '#shared/pages/shell/may-add.ts';
import { PageLinks, type Paging } from '#shared/pages/shell/paging.tsx';
import type { WithForms } from '#shared/pages/shell/view.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import { parseHeaders } from '#shared/webhooks/header-rules.ts';
import { Deliveries, type ShownDelivery } from './webhook-deliveries.tsx';
import { formatEvents, getWebhookName, type ShownWebhook, WebhookState } from './webhook-names.tsx';

interface Props extends WithForms<ProjectVisit> {
  readonly webhook: ShownWebhook;
  readonly deliveries: readonly (ShownDelivery & { readonly cursor: string })[];
  readonly paging: Paging;
}

export const WebhookPage = ({ visit, webhook, deliveries, paging, refused }: Props): Html => {
  const mayChange = may(visit.person, 'webhooks:write');
  const href = linkToWebhooks(visit, webhook.hookId);
  return (
    <>
      <PageHead
        title={getWebhookName(webhook)}
        meta={<WebhookState webhook={webhook} />}
        actions={mayChange && <Actions visit={visit} webhook={webhook} />}
      />
      {refused && (
        <Notice tone="failed" isAlert>
          <strong>Nothing was sent or changed.</strong> {refused.problem}
        </Notice>
      )}
      <div class="columns">
        <div>
          <Panel title="Deliveries" id="deliveries" actions={<a href={href}>Refresh</a>} isFlush>
            <Deliveries visit={visit} webhook={webhook} deliveries={deliveries} />
          </Panel>
          <PageLinks paging={paging} href={(cursors) => addQuery(href, cursors)} />
        </div>
        <aside class="stack" aria-label="About this webhook">
          <Settings webhook={webhook} />
          {mayChange && <Signature visit={visit} webhook={webhook} />}
          {mayChange && (
            <Panel title="Delete">
              <p>If you delete this webhook, its pending deliveries will not be sent.</p>
              <a class="button quiet danger" href={linkToWebhooks(visit, webhook.hookId, 'delete')}>
                Delete…
              </a>
            </Panel>
          )}
        </aside>
      </div>
    </>
  );
};

const Settings = ({ webhook }: { readonly webhook: ShownWebhook }): Html => (
  <Panel title="Settings">
    <dl class="facts">
      <Fact name="URL">
        <code>{webhook.url}</code>
      </Fact>
      <Fact name="Events">{formatEvents(webhook)}</Fact>
      {/* Only the names of the headers. Their values are secrets, which only the form shows. */}
      <Fact name="Headers">
        {parseHeaders(webhook.headers)
          .map(([name]) => `${name}: ••••`)
          .join(', ') || 'none'}
      </Fact>
      <Fact name="Changed">
        <FullTime at={webhook.updatedAt} />
      </Fact>
    </dl>
  </Panel>
);

const Signature = ({ visit, webhook: { hookId, signed } }: Pick<Props, 'visit' | 'webhook'>): Html => (
  <Panel title="Signature">
    <p>
      {signed
        ? 'Requests are signed as Standard Webhooks specifies.'
        : 'Requests are not signed, so the receiver cannot check where they come from.'}
    </p>
    <div class="actions">
      {!isOfDeletedProject(visit) && (
        <a class="button quiet" href={linkToWebhooks(visit, hookId, 'secret')}>
          {signed ? 'Rotate the signing secret…' : 'Sign requests…'}
        </a>
      )}
      {signed && (
        <a class="button quiet danger" href={linkToWebhooks(visit, hookId, 'secret', 'delete')}>
          Delete the signing secret…
        </a>
      )}
    </div>
  </Panel>
);

function Actions({ visit, webhook }: Pick<Props, 'visit' | 'webhook'>): Html {
  const { hookId, disabled } = webhook;
  const isDeleted = isOfDeletedProject(visit);
  if (isDeleted && disabled) return <></>;
  return (
    <>
      {!isDeleted && (
        <a class="button quiet" href={linkToWebhooks(visit, hookId, 'edit')}>
          <Icon name="pencil" />
          Change…
        </a>
      )}
      <PostButton
        action={linkToWebhooks(visit, hookId, 'enabled')}
        fields={{ enabled: disabled ? 'true' : 'false' }}
        class={disabled ? undefined : 'quiet'}
      >
        {disabled ? 'Enable and send a test' : 'Disable'}
      </PostButton>
      {!disabled && !isDeleted && <PostButton action={linkToWebhooks(visit, hookId, 'test')}>Send a test</PostButton>}
    </>
  );
}
