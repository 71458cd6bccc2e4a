/** Display names and states of webhooks. */
import type * as z from 'zod';
import type { Html } from '#shared/engine/html/html.ts';
import { FullTime } from '#shared/pages/design/format.tsx';
import { OutcomeBadge } from '#shared/pages/design/outcome.tsx';
import { linkToProjectSettings, linkToWebhooks } from '#shared/pages/shell/hrefs.ts';
import type { Breadcrumb } from '#shared/pages/shell/view.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';
import type { WebhookWire } from '#shared/webhooks/webhook-wire.ts';

export type ShownWebhook = z.infer<typeof WebhookWire>;

/** The label of the webhook, or the host name of its URL if it has no label. The rest of the URL is often secret. */
export const getWebhookName = ({ label, url }: Pick<ShownWebhook, 'label' | 'url'>): string =>
  label ?? new URL(url).host;

export const formatEvents = ({ hookEvents }: Pick<ShownWebhook, 'hookEvents'>): string =>
  hookEvents.length === 0 ? 'all events' : hookEvents.join(', ');

const REASONS: Readonly<Record<NonNullable<ShownWebhook['disabled']>['reason'], string>> = {
  gone: 'because the receiver answered 410 Gone',
  failing: 'because the receiver failed for days',
  byHand: 'manually',
};

export const WebhookState = ({ webhook: { disabled, failingSince } }: { readonly webhook: ShownWebhook }): Html => (
  <ReceiverState disabled={disabled && { ...disabled, why: REASONS[disabled.reason] }} failingSince={failingSince} />
);

interface StateProps {
  readonly disabled: { readonly why: string | undefined; readonly at: string | number } | null | undefined;
  readonly failingSince: string | number | null | undefined;
}

/** Whether events are sent to a webhook or a notification, and whether they arrive. */
export function ReceiverState({ disabled, failingSince }: StateProps): Html {
  if (disabled)
    return (
      <>
        <OutcomeBadge outcome="skipped" label="disabled" /> {disabled.why}, since <FullTime at={disabled.at} />
      </>
    );
  if (failingSince == null) return <OutcomeBadge outcome="passed" label="enabled" />;
  return (
    <>
      <OutcomeBadge outcome="failed" label="failing" /> since <FullTime at={failingSince} />
    </>
  );
}

/** `name`: the current page, by default the list of webhooks. `webhook`: the one to which the page belongs. */
export const makeWebhookBreadcrumbs = (visit: ProjectVisit, name?: string, webhook?: ShownWebhook): Breadcrumb[] => {
  const settings = { name: 'Settings', href: linkToProjectSettings(visit) };
  if (name === undefined) return [settings, { name: 'Webhooks' }];
  const parent = webhook && { name: getWebhookName(webhook), href: linkToWebhooks(visit, webhook.hookId) };
  return [settings, { name: 'Webhooks', href: linkToWebhooks(visit) }, ...(parent ? [parent] : []), { name }];
};
