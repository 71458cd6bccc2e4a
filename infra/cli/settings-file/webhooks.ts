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
import { enterSection, type FileSection, type GivenWebhook, parseSectionSettings } from './document.ts';
import { expectUnchanged } from './expect-unchanged.ts';
import {
  type FieldChange,
  type Fields,
  getEnabledSetting,
  isEmpty,
  listFieldChanges,
  pickDefined,
  pickDifferences,
} from './fields.ts';
import { matchRows } from './match-rows.ts';
import type { Change } from './plan.ts';

type Policy = Pick<Services, 'privateReceivers'>;

const toWebhookSettings = ({ label, url, hookEvents }: Pick<Webhook, 'label' | 'url' | 'hookEvents'>) => ({
  label,
  url,
  hookEvents: [...hookEvents],
});

export function toWebhookFields(webhook: Webhook): Fields {
  const enabled = getEnabledSetting(webhook);
  const signed = webhook.secrets.length > 0;
  const fields = { ...toWebhookSettings(webhook), signed };
  return enabled === undefined ? fields : { ...fields, enabled };
}

const getWebhookName = ({ label, url }: Pick<Webhook, 'label' | 'url'>): string => label ?? new URL(url).host;

/** The path of an address is often a secret, so plans show only its host. */
const hideUrlPath = (url: string): string => {
  const { origin, pathname, search } = new URL(url);
  return pathname === '/' && search === '' ? url : `${origin}/…`;
};

const hideUrlPaths = (fields: readonly FieldChange[]): FieldChange[] =>
  fields.map(({ name, from, to }) => {
    if (name !== 'url') return { name, from, to };
    const shownUrl = hideUrlPath(String(to));
    return typeof from === 'string' ? { name, from: hideUrlPath(from), to: shownUrl } : { name, to: shownUrl };
  });

export function planWebhooks(
  all: readonly Webhook[],
  section: FileSection<readonly GivenWebhook[]>,
  policy: Policy,
): Change[] {
  const { given, path, problems } = section;
  const matches = matchRows(all, section, {
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
  const entries = given.map((entry, index) => ({
    webhook: matches[index],
    entry: enterSection(section, entry, index),
  }));
  return [
    ...all.filter((webhook) => !matches.includes(webhook)).map(planWebhookRemoval),
    ...entries.flatMap(({ webhook, entry }) => (webhook ? planWebhookChange(webhook, entry, policy) : [])),
    ...entries.flatMap(({ webhook, entry }) =>
      webhook || entry.given.id !== undefined ? [] : planWebhookCreation(entry, policy),
    ),
  ];
}

const planWebhookRemoval = (webhook: Webhook): Change => ({
  verb: 'remove',
  kind: 'webhook',
  name: getWebhookName(webhook),
  id: webhook.hookId,
  fields: [],
  note: 'pending deliveries are dropped',
  run: (services, { organizationId, actor }) => {
    const expects = expectUnchanged(webhooks, webhook, ['updatedAt']);
    return deleteWebhook(services, { organizationId, hookId: webhook.hookId, actor, expects });
  },
});

function planWebhookChange(webhook: Webhook, section: FileSection<GivenWebhook>, policy: Policy): Change[] {
  const { id: _, signed, enabled, ...settings } = section.given;
  const currentFields = toWebhookFields(webhook);
  // If the service disabled the webhook, the setting `enabled` is ignored: the receiver has to be repaired first.
  const enabledSetting = getEnabledSetting(webhook) === undefined ? undefined : enabled;
  const edits = pickDifferences({ ...settings, enabled: enabledSetting }, currentFields);
  const input = isEmpty(edits) ? {} : parseSectionSettings(WebhookChange, edits, section);
  if (!input) return [];
  const { url } = input;
  if (url !== undefined) section.problems.check([...section.path, 'url'], () => checkUrl(url, policy));
  const changedFields = pickDifferences(
    { ...toWebhookSettings({ ...webhook, ...pickDefined(input) }), enabled: enabledSetting, signed },
    currentFields,
  );
  const names = Object.keys(changedFields);
  if (names.length === 0) return [];
  return [
    {
      verb: 'change',
      kind: 'webhook',
      name: getWebhookName(webhook),
      id: webhook.hookId,
      fields: hideUrlPaths(listFieldChanges(changedFields, currentFields)),
      run: async (services, { organizationId, actor }, onCreated) => {
        const ref = { organizationId, hookId: webhook.hookId, actor };
        if (names.some((name) => name !== 'signed')) {
          // The service sends a test event, which contains its origin, when a webhook is enabled again.
          const origin = input.enabled ? await services.origin() : '';
          const expects = expectUnchanged(webhooks, webhook, ['updatedAt']);
          await updateWebhook({ ...services, origin }, { ...ref, input, expects });
        }
        if (!names.includes('signed')) return;
        const expects = expectUnchanged(webhooks, webhook, ['secrets']);
        if (!signed) return void (await deleteSecret(services, { ...ref, expects }));
        const { signingSecret } = await rotateSecret(services, { ...ref, expects });
        onCreated({ what: 'signing secret', secret: signingSecret });
      },
    },
  ];
}

function planWebhookCreation(section: FileSection<GivenWebhook>, policy: Policy): Change[] {
  const { given, path, problems } = section;
  const { id: _, enabled = true, ...settings } = given;
  if (settings.url === undefined) {
    problems.add(path, 'Add the url of the new webhook. An export has addresses only with --with-addresses');
    return [];
  }
  const input = parseSectionSettings(NewWebhook, settings, section);
  if (input === undefined || problems.check([...path, 'url'], () => checkUrl(input.url, policy)) === undefined)
    return [];
  return [
    {
      verb: 'create',
      kind: 'webhook',
      name: getWebhookName(input),
      fields: hideUrlPaths(listFieldChanges({ ...toWebhookSettings(input), signed: input.signed, enabled })),
      run: async (services, { organizationId, projectId, actor }, onCreated) => {
        const { hookId, signingSecret } = await createWebhook(services, { organizationId, projectId, actor, input });
        if (signingSecret !== undefined) onCreated({ what: 'signing secret', secret: signingSecret });
        if (!enabled)
          await updateWebhook({ ...services, origin: '' }, { organizationId, hookId, actor, input: { enabled } });
      },
    },
  ];
}
