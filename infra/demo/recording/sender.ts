/** Sends recording messages over HTTP. */
import * as z from 'zod';

/** The service refused a message, for example because the run has ended. */
export class Refused extends Error {
  override name = 'Refused';
}

const Answer = z
  .looseObject({ runId: z.string(), instanceId: z.string(), recordId: z.string(), uploadUrl: z.string() })
  .partial();
type Answer = z.infer<typeof Answer>;

/** `key`: idempotency key. */
export type StorySender = (method: 'POST' | 'PUT', path: string, body: object, key?: string) => Promise<Answer>;

export const makeStorySender =
  (
    { recordUrl, recordKey }: { readonly recordUrl: string; readonly recordKey: string },
    signal: AbortSignal,
  ): StorySender =>
  async (method, path, body, key) => {
    const headers = {
      'content-type': 'application/json',
      'x-currents-key': recordKey,
      'x-pw-version': '1.65.1',
      'x-pwc-version': '2.5.0',
      ...(key ? { 'x-currents-idempotency-key': key } : {}),
    };
    const answer = await fetch(recordUrl + path, { method, headers, body: JSON.stringify(body), signal });
    const text = await answer.text();
    if (answer.status >= 400 && answer.status < 500) throw new Refused(`${path} returned ${text}`);
    if (!answer.ok) throw new Error(`${path} returned ${answer.status}: ${text}`);
    return Answer.parse(JSON.parse(text || '{}'));
  };
