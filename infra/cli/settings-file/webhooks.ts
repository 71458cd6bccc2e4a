/** The webhooks of a project in a settings file, without their headers and signing secrets. */
import { type Webhook, webhooks } from '#shared/model/events/webhook.ts';
import type { Services } from '#shared/services.ts';
import { deleteWebhook } from '#shared/webhooks/change-webhook.ts';
import { createWebhook } from '#shared/webhooks/create-webhook.ts';
import { WEBHOOK_LIMITS } from '#shared/webhooks/limits.ts';
import { deleteSecret, rotateSecret } from '#shared/webhooks/rotate-secret.ts';
import { checkUrl } from '#shared/webhooks/settings.ts';
import { updateWebhook } from '#shared/webhooks/update-webhook.ts';
import { NewWebhook, WebhookChange } from '#shared/webhooks/webhook-wire.ts';
import { type GivenWebhook, type Placed, settingsBy, within } from './document.ts';
import {
  type Change,
  defined,
  differing,
  type FieldChange,
  type Fields,
  fieldChanges,
  isEmpty,
  isEnabled,
  matched,
  unchanged,
} from './plan.ts';

type Policy = Pick<Services, 'privateReceivers'>;

const settingsOf = ({ label, url, hookEvents }: Pick<Webhook, 'label' | 'url' | 'hookEvents'>) => ({
  label,
  url,
  hookEvents: [...hookEvents],
});

export function webhookFields(webhook: Webhook): Fields {
  const enabled = isEnabled(webhook);
  const signed = webhook.secrets.length > 0;
  return { ...settingsOf(webhook), signed, ...(enabled === undefined ? {} : { enabled }) };
}

const nameOf = ({ label, url }: Pick<Webhook, 'label' | 'url'>): string => label ?? new URL(url).host;

/** The path of an address is often a secret, so plans show only its host. */
const withoutPath = (url: string): string => {
  const { origin, pathname, search } = new URL(url);
  return pathname === '/' && search === '' ? url : `${origin}/…`;
};

const shown = (fields: readonly FieldChange[]): FieldChange[] =>
  fields.map(({ name, from, to }) => {
    if (name !== 'url') return { name, from, to };
    return { name, ...(typeof from === 'string' ? { from: withoutPath(from) } : {}), to: withoutPath(String(to)) };
  });

export function planWebhooks(
  all: readonly Webhook[],
  placed: Placed<readonly GivenWebhook[]>,
  policy: Policy,
): Change[] {
  const { given, path, problems } = placed;
  const found = matched(all, placed, {
    kind: 'webhook',
    idOf: ({ hookId }) => hookId,
    nameOf: ({ label, url }) => label ?? url,
    fits: [
      (webhook, { label }) => label != null && webhook.label === label,
      (webhook, { label, url }) => label == null && webhook.url === url && webhook.label === null,
      (webhook, { label, url }) => label == null && webhook.url === url,
    ],
  });
  if (given.length > WEBHOOK_LIMITS.webhooksPerProject)
    problems.add(path, `A project has at most ${WEBHOOK_LIMITS.webhooksPerProject} webhooks. Remove some`);
  const entries = given.map((entry, index) => ({ webhook: found[index], entry: within(placed, entry, index) }));
  return [
    ...all.filter((webhook) => !found.includes(webhook)).map(removalOf),
    ...entries.flatMap(({ webhook, entry }) => (webhook ? changeOf(webhook, entry, policy) : [])),
    ...entries.flatMap(({ webhook, entry }) =>
      webhook || entry.given.id !== undefined ? [] : creationOf(entry, policy),
    ),
  ];
}

const removalOf = (webhook: Webhook): Change => ({
  verb: 'remove',
  kind: 'webhook',
  name: nameOf(webhook),
  id: webhook.hookId,
  fields: [],
  note: 'pending deliveries are dropped',
  run: (services, { organizationId, actor }) => {
    const expects = unchanged(webhooks, webhook, ['updatedAt']);
    return deleteWebhook(services, { organizationId, hookId: webhook.hookId, actor, expects });
  },
});

function changeOf(webhook: Webhook, placed: Placed<GivenWebhook>, policy: Policy): Change[] {
  const { id: _, signed, enabled, ...given } = placed.given;
  const current = webhookFields(webhook);
  // If the service disabled the webhook, the setting `enabled` is ignored: the receiver has to be repaired first.
  const switched = isEnabled(webhook) === undefined ? undefined : enabled;
  const edits = differing({ ...given, enabled: switched }, current);
  const input = isEmpty(edits) ? {} : settingsBy(WebhookChange, edits, placed);
  if (!input) return [];
  const { url } = input;
  if (url !== undefined) placed.problems.checked([...placed.path, 'url'], () => checkUrl(url, policy));
  const wanted = differing({ ...settingsOf({ ...webhook, ...defined(input) }), enabled: switched, signed }, current);
  const names = Object.keys(wanted);
  if (names.length === 0) return [];
  return [
    {
      verb: 'change',
      kind: 'webhook',
      name: nameOf(webhook),
      id: webhook.hookId,
      fields: shown(fieldChanges(wanted, current)),
      run: async (services, { organizationId, actor }, created) => {
        const ref = { organizationId, hookId: webhook.hookId, actor };
        if (names.some((name) => name !== 'signed')) {
          // The service sends a test event, which contains its origin, when a webhook is enabled again.
          const origin = input.enabled ? await services.origin() : '';
          const expects = unchanged(webhooks, webhook, ['updatedAt']);
          await updateWebhook({ ...services, origin }, { ...ref, input, expects });
        }
        if (!names.includes('signed')) return;
        const expects = unchanged(webhooks, webhook, ['secrets']);
        if (!signed) return void (await deleteSecret(services, { ...ref, expects }));
        const { signingSecret } = await rotateSecret(services, { ...ref, expects });
        created({ what: 'signing secret', secret: signingSecret });
      },
    },
  ];
}

function creationOf(placed: Placed<GivenWebhook>, policy: Policy): Change[] {
  const { given, path, problems } = placed;
  const { id: _, enabled = true, ...settings } = given;
  if (settings.url === undefined) {
    problems.add(path, 'Add the url of the new webhook. An export has addresses only with --with-addresses');
    return [];
  }
  const input = settingsBy(NewWebhook, settings, placed);
  if (input === undefined || problems.checked([...path, 'url'], () => checkUrl(input.url, policy)) === undefined)
    return [];
  return [
    {
      verb: 'create',
      kind: 'webhook',
      name: nameOf(input),
      fields: shown(fieldChanges({ ...settingsOf(input), signed: input.signed, enabled })),
      run: async (services, { organizationId, projectId, actor }, created) => {
        const { hookId, signingSecret } = await createWebhook(services, { organizationId, projectId, actor, input });
        if (signingSecret !== undefined) created({ what: 'signing secret', secret: signingSecret });
        if (!enabled)
          await updateWebhook({ ...services, origin: '' }, { organizationId, hookId, actor, input: { enabled } });
      },
    },
  ];
}
