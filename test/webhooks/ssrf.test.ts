import { request } from 'node:https';
import { RequestFilteringHttpsAgent } from 'request-filtering-agent';
import { describe, expect, test } from 'vitest';
import { Connections } from '#shared/sending/connections.ts';
import type { PrivateReceivers } from '#shared/services.ts';
import { sendToWebhook } from '#shared/webhooks/send-to-webhook.ts';
import { attack } from '#test/harness/attacks.ts';
import { target } from './target.ts';
import { lookupOf, type Trick, tricks } from './tricks.ts';

const post = (trick: Trick, port: number, privateReceivers: PrivateReceivers) =>
  sendToWebhook(
    { id: 'msg_1', url: trick.url(port), headers: null, secrets: [], body: '{}' },
    { now: () => Date.now(), privateReceivers, lookup: lookupOf(trick), kept: new Connections().of('hook-1', 0) },
  );

describe('SSRF protection', () => {
  test('is tested with at least 29 attacks', () => {
    expect(new Set(tricks().map(({ name }) => name)).size).toBeGreaterThanOrEqual(29);
  });

  test.each(tricks())('blocks $name', async (trick) => {
    const inside = await target();
    const { outcome, attempt } = await post(trick, inside.port, 'none');
    attack('inside addresses');
    // Some addresses are known only after the TCP connection is established. In this case, the connection is closed
    // before any byte is sent.
    expect(inside.connections()).toBe(trick.foundOutLate ? 1 : 0);
    expect(inside.reached()).toBe(0);
    expect({ outcome, statusCode: attempt.statusCode }).toEqual({ outcome: 'failed', statusCode: null });
    expect(attempt.error).toBeTruthy();
  });

  test('is necessary, because at least 29 of the attacks reach the internal target without it', async () => {
    const inside = await target();
    const leading = tricks().filter(({ leadsToTarget }) => leadsToTarget);
    for (const trick of leading) {
      await new Promise((resolve) => {
        const url = new URL(trick.url(inside.port));
        const host = url.hostname.replace(/^\[|\]$/g, '');
        const asked = request({ host, port: url.port, agent: false, lookup: lookupOf(trick) });
        asked.on('error', resolve).end();
      });
    }
    expect(leading.length).toBeGreaterThanOrEqual(29);
    expect(inside.reached()).toBe(leading.length);
  });

  test('Delivery errors do not contain the internal addresses to which a host name resolves', async () => {
    for (const trick of tricks().filter(({ answers }) => answers)) {
      const { attempt } = await post(trick, 4433, 'none');
      expect(attempt.error).not.toMatch(/127\.0|10\.0|169\.254/);
    }
  });
});

describe('the independent request-filtering-agent', () => {
  /**
   * The tricks that `request-filtering-agent` does not block. It checks the DNS answer, but not the address to which
   * the socket connects. The DNS answer of this trick changes after it has been read once.
   */
  const LET_THROUGH = ['a name that resolves to another address after the check'];

  test('The package request-filtering-agent blocks the same attacks as this service, except for one known attack', async () => {
    const through: string[] = [];
    // Skips the trick whose host name resolves to no address, because this trick crashes `request-filtering-agent`.
    for (const trick of tricks().filter(({ answers }) => answers?.length !== 0)) {
      const inside = await target();
      const url = new URL(trick.url(inside.port));
      await new Promise((resolve) => {
        const host = url.hostname.replace(/^\[|\]$/g, '');
        const agent = new RequestFilteringHttpsAgent();
        const asked = request({ host, port: url.port, agent, lookup: lookupOf(trick) });
        asked.on('error', resolve).end();
      });
      if (inside.reached() > 0) through.push(trick.name);
    }
    expect(through).toEqual(LET_THROUGH);
  });
});
