/** SSRF tricks that use the URL or DNS. */
import type { LookupAddress } from 'node:dns';
import { isIP, type LookupFunction } from 'node:net';

export interface Trick {
  readonly name: string;
  /** Returns the URL of the trick. `port` is the port of the target on this machine. */
  readonly url: (port: number) => string;
  /** The addresses to which host names in the URL resolve. */
  readonly answers?: readonly LookupAddress[];
  /** Whether the trick reaches the target from a client that does not check addresses. */
  readonly leadsToTarget: boolean;
  /** Whether the service detects the trick only after the TCP connection is established. */
  readonly foundOutLate?: boolean;
}

const literal = (host: string, leadsToTarget = true): Trick => ({
  name: `the address written ${host}`,
  url: (port) => `https://${host}:${port}/hook`,
  leadsToTarget,
});

const confusing = (name: string, url: Trick['url'], leadsToTarget: boolean): Trick => ({ name, url, leadsToTarget });

const at = (...addresses: readonly string[]): LookupAddress[] =>
  addresses.map((address) => ({ address, family: isIP(address) }));

const resolving = (name: string, answers: readonly LookupAddress[], leadsToTarget: boolean): Trick => ({
  name: `a name that resolves to ${name}`,
  url: (port) => `https://receiver.example:${port}/hook`,
  answers,
  leadsToTarget,
});

/**
 * DNS rebinding: a name that resolves to a public address at the first lookup, and to this machine at the second one.
 */
function rebinding(): LookupAddress {
  let looks = 0;
  return {
    get address() {
      looks += 1;
      return looks === 1 ? '93.184.216.34' : '127.0.0.1';
    },
    family: 4,
  };
}

const WRITTEN: readonly Trick[] = [
  literal('127.0.0.1'),
  literal('2130706433'),
  literal('0x7f000001'),
  literal('0x7f.0x0.0x0.0x1'),
  literal('017700000001'),
  literal('0177.0.0.01'),
  literal('127.1'),
  literal('127.0.0.1.'),
  literal('１２７.０.０.１'),
  literal('①②⑦.⓪.⓪.①'),
  literal('%31%32%37.0.0.1'),
  literal('127。0。0。1'),
  literal('0', false),
  literal('[::1]', false),
  literal('[::ffff:127.0.0.1]'),
  literal('[::ffff:7f00:1]'),
  literal('[0:0:0:0:0:ffff:7f00:0001]'),
  literal('[::127.0.0.1]', false),
  literal('[64:ff9b::7f00:1]', false),
  literal('169.254.169.254', false),
  literal('[fd00:ec2::254]', false),
  confusing('user info that looks like a host name', (port) => `https://example.com@127.0.0.1:${port}/`, true),
  confusing('user info with a port', (port) => `https://example.com:443@127.0.0.1:${port}/`, true),
  confusing('a fragment before user info', (port) => `https://127.0.0.1:${port}#@example.com/`, true),
  confusing('a backslash before user info', (port) => `https://127.0.0.1:${port}\\@example.com/`, true),
  confusing('backslashes instead of slashes', (port) => `https:\\\\127.0.0.1:${port}\\hook`, true),
  confusing('one slash', (port) => `https:/127.0.0.1:${port}/hook`, true),
  confusing('a line break inside', (port) => `https://127.0.\n0.1:${port}/hook`, true),
  confusing('spaces around', (port) => ` https://127.0.0.1:${port}/hook `, true),
  confusing('localhost', (port) => `https://localhost:${port}/`, true),
  confusing('localhost in capitals', (port) => `https://LOCALHOST:${port}/`, true),
  confusing('localhost with a dot', (port) => `https://localhost.:${port}/`, true),
  confusing('a subdomain of localhost', (port) => `https://hook.localhost:${port}/`, true),
];

export const tricks = (): Trick[] => [
  ...WRITTEN,
  resolving('this machine', at('127.0.0.1'), true),
  resolving('this machine in IPv6 form', at('::ffff:127.0.0.1'), true),
  resolving('a public address and this machine', at('93.184.216.34', '127.0.0.1'), false),
  resolving('this machine and a public address', at('127.0.0.1', '93.184.216.34'), true),
  resolving('a private network', at('10.0.0.1'), false),
  resolving('the metadata of a cloud', at('169.254.169.254'), false),
  resolving('no address', [], false),
  { ...resolving('another address after the check', [rebinding()], true), foundOutLate: true },
];

/** A DNS lookup in which all names resolve to this machine, unless the trick specifies other addresses. */
export const lookupOf =
  ({ answers = at('127.0.0.1') }: Trick): LookupFunction =>
  (_, { all }, callback) =>
    void setImmediate(() => {
      const [first] = answers;
      if (all) callback(null, [...answers]);
      else callback(null, first?.address ?? '', first?.family ?? 4);
    });
