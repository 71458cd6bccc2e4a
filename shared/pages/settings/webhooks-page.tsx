/** The webhooks of a project. */
import type { Html } from '#shared/engine/html/html.ts';
import { DataTable, wide } from '#shared/pages/design/data-table.tsx';
import { FullTime } from '#shared/pages/design/format.tsx';
import { Icon } from '#shared/pages/design/icon.tsx';
import { EmptyState, PageHead, Panel } from '#shared/pages/design/parts.tsx';
import { linkToWebhooks } from '#shared/pages/shell/hrefs.ts';
import { mayAdd } from '#shared/pages/shell/may-add.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import type { WebhookBody } from '#shared/webhooks/body-wire.ts';
import { DeliveryBadge, type ShownDelivery } from './webhook-deliveries.tsx';
import { formatEvents, getWebhookName, type ShownWebhook, WebhookState } from './webhook-names.tsx';

interface Props {
  readonly visit: ProjectVisit;
  readonly webhooks: readonly ShownWebhook[];
  /** The newest delivery of each webhook that has one. */
  readonly last: ReadonlyMap<string, Pick<ShownDelivery, 'status' | 'createdAt'>>;
}

export const WebhooksPage = ({ visit, webhooks, last }: Props): Html => (
  <>
    <PageHead
      title="Webhooks"
      meta="A webhook sends a request to your URL when a run starts, ends, times out or is cancelled."
      actions={
        mayAdd(visit, 'webhooks:write') && (
          <a class="button" href={linkToWebhooks(visit, 'new')}>
            <Icon name="plus" />
            New webhook
          </a>
        )
      }
    />
    {webhooks.length === 0 ? <Sample /> : <WebhookTable visit={visit} webhooks={webhooks} last={last} />}
  </>
);

const WebhookTable = ({ visit, webhooks, last }: Props): Html => (
  <DataTable
    label="Webhooks"
    caption="Newest first"
    columns={['Webhook', 'State', 'Last delivery', ...wide('Events', 'Signed')]}
  >
    {webhooks.map((webhook) => (
      <tr>
        <th scope="row">
          <a href={linkToWebhooks(visit, webhook.hookId)}>{getWebhookName(webhook)}</a>
        </th>
        <td>
          <WebhookState webhook={webhook} />
        </td>
        <td>
          <LastDelivery delivery={last.get(webhook.hookId)} />
        </td>
        <td class="wide">{formatEvents(webhook)}</td>
        <td class="wide">{webhook.signed ? 'yes' : 'no'}</td>
      </tr>
    ))}
  </DataTable>
);

const LastDelivery = ({ delivery }: { readonly delivery: ReturnType<Props['last']['get']> }): Html =>
  delivery ? (
    <>
      <DeliveryBadge {...delivery} /> <FullTime at={delivery.createdAt} />
    </>
  ) : (
    <span class="soft">none yet</span>
  );

const SAMPLE: WebhookBody = {
  event: 'RUN_FINISH',
  runUrl: 'https://rundown.example.com/acme/shop/runs/62d379a714c098d6',
  buildId: 'build-42',
  tags: ['nightly'],
  commit: {
    sha: '1f2e3d4',
    branch: 'main',
    authorName: 'Ada',
    authorEmail: 'ada@example.com',
    message: 'Round prices',
    remoteOrigin: null,
    defaultBranch: 'main',
  },
  overall: 17,
  passes: 12,
  failures: 2,
  pending: 2,
  skipped: 1,
  retries: 3,
  flaky: 1,
  runId: '62d379a714c098d6',
  projectId: 'shop',
  status: 'FAILED',
};

const Sample = (): Html => (
  <div class="stack">
    <EmptyState icon="webhook" title="No webhooks yet">
      <p>Your service will receive requests like the one below, and can check their signatures.</p>
    </EmptyState>
    <Panel title="Example request">
      <pre>{JSON.stringify(SAMPLE, null, 2)}</pre>
    </Panel>
  </div>
);
