import { describe, expect, test } from 'vitest';
import { mayReach } from '#shared/sending/addresses.ts';
import { ALLOWED, REFUSED } from './address-samples.ts';
import { agentAllows } from './filtering-agent.ts';

const PUBLIC_ONLY = { privateReceivers: 'none' as const };
const refused = Object.entries(REFUSED).flatMap(([what, all]) => all.map((address) => [what, address] as const));

describe('webhooks without private receivers', () => {
  test('Webhooks cannot reach special-purpose addresses if private receivers are not allowed', () => {
    expect(new Set(refused.map(([, address]) => address)).size).toBeGreaterThanOrEqual(79);
    expect(refused.filter(([, address]) => mayReach(address, PUBLIC_ONLY))).toEqual([]);
  });

  test('Webhooks can reach public addresses', () => {
    expect(ALLOWED.length).toBeGreaterThanOrEqual(18);
    expect(ALLOWED.filter((address) => !mayReach(address, PUBLIC_ONLY))).toEqual([]);
  });

  test('A text that is not an IP address is refused as the address of a webhook receiver', () => {
    for (const text of ['', 'localhost', '127.1', '0x7f000001', '[::1]', '8.8.8.8:80', '8.8.8.8/0']) {
      expect(mayReach(text, PUBLIC_ONLY), text).toBe(false);
    }
  });
});

describe('webhooks with private receivers', () => {
  const WITHIN = ['loopback', 'private', 'shared by a carrier', 'unique local'];
  const WITHIN_MAPPED = ['::ffff:127.0.0.1', '::ffff:7f00:1', '0:0:0:0:0:ffff:127.0.0.1', '::ffff:10.0.0.1'];

  test('can reach loopback and private networks in local development, but not metadata services', () => {
    const reached = refused.filter(([, address]) => mayReach(address, { privateReceivers: 'machine' as const }));
    const within = refused.filter(([what]) => WITHIN.includes(what)).map(([, address]) => address);
    expect(reached.map(([, address]) => address).sort()).toEqual(
      [...within, ...WITHIN_MAPPED, '::ffff:192.168.1.1'].sort(),
    );
  });

  test('cannot reach loopback addresses in a deployment, because the Lambda runtime listens there', () => {
    const network = { privateReceivers: 'network' as const };
    const reached = refused.filter(([, address]) => mayReach(address, network)).map(([what]) => what);
    expect(new Set(reached)).toEqual(new Set(['private', 'shared by a carrier', 'unique local', 'IPv4 in IPv6']));
    for (const address of WITHIN_MAPPED.slice(0, 3)) expect(mayReach(address, network), address).toBe(false);
    expect(mayReach('::ffff:10.0.0.1', network)).toBe(true);
  });
});

describe('the independent request-filtering-agent', () => {
  /**
   * The addresses about which `request-filtering-agent` is known to be wrong. It refuses all IPv4-mapped addresses
   * (`::ffff:8.8.8.8`). It allows the metadata service of Azure (`168.63.129.16`), IPv4-compatible addresses
   * (`::7f00:1`), and IPv6 addresses outside of `2000::/3` that are not private.
   */
  const LET_THROUGH = ['::2', '::7f00:1', '168.63.129.16', '1::1', '100:0:0:1::1', '4000::1', '8000::1', 'e000::1'];
  const HELD_BACK = ['::ffff:8.8.8.8'];

  test('The package request-filtering-agent agrees with this service about all sample addresses, except for its known errors', async () => {
    const through: string[] = [];
    for (const [, address] of refused) if (await agentAllows(address)) through.push(address);
    const back: string[] = [];
    for (const address of ALLOWED) if (!(await agentAllows(address))) back.push(address);
    expect({ through: through.sort(), back }).toEqual({ through: LET_THROUGH.sort(), back: HELD_BACK });
  });
});
