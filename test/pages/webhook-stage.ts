/** A signed-in Admin, and optionally a webhook, for tests of the webhook pages of a project. */
import { service } from '#test/harness/service.ts';
import { type Shown, signedIn } from '#test/harness/visitor.ts';

export const URL = 'https://receiver.invalid/t0ken';

export async function stage() {
  const here = await service();
  const page = `/${here.organizationId}/${here.projectId}/webhooks`;
  const listed = async (projectId = here.projectId) =>
    (await here.reader.get(`/webhooks?projectId=${projectId}`)).body.data;
  return { ...here, page, listed, admin: await signedIn(here, 'admin') };
}

/** Like `stage`, with a webhook that was created through the API. */
export async function withWebhook(more: object = {}) {
  const here = await stage();
  const { body } = await here.api.post(`/webhooks?projectId=${here.projectId}`, { url: URL, label: 'Chat', ...more });
  const { hookId } = body.data;
  const webhookPage = `${here.page}/${hookId}`;
  const read = async () => (await here.reader.get(`/webhooks/${hookId}`)).body.data;
  const deliveries = async () => (await here.reader.get(`/webhooks/${hookId}/deliveries`)).body.data;
  return { ...here, hookId, at: webhookPage, read, deliveries };
}

export const secretIn = ({ text }: Shown): string => /whsec_[0-9A-Za-z+/=]{40,}/.exec(text)?.[0] ?? 'no secret';
export const place = ({ headers }: Shown) => headers.get('location');
