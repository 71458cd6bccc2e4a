/**
 * §6 SSRF protection: the addresses to which requests may be sent, based on the IANA registries and the metadata
 * addresses of clouds.
 */
import { BlockList, isIP } from 'node:net';
import type { Services } from '#shared/services.ts';

/**
 * The kind of an address: on the public internet, in a private network, or on this machine. The operator may allow
 * `network` and `machine`. `none` is never allowed, because no legitimate receiver has such an address.
 */
type AddressReach = 'public' | 'network' | 'machine' | 'none';

export interface AddressPolicy extends Pick<Services, 'privateReceivers'> {
  /** A private network in CIDR notation that may be reached although others may not. Only issue trackers have one. */
  readonly ownNetwork?: string | undefined;
}

export const mayReach = (address: string, { privateReceivers, ownNetwork }: AddressPolicy): boolean => {
  const reach = classifyAddress(address);
  if (reach === 'network') return privateReceivers !== 'none' || isInNetwork(address, ownNetwork);
  return reach === 'public' || (reach === 'machine' && privateReceivers === 'machine');
};

function isInNetwork(address: string, network: string | undefined): boolean {
  if (network === undefined) return false;
  const [start = '', prefix] = network.split('/');
  return makeBlockList([start, Number(prefix)]).check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
}

function classifyAddress(address: string): AddressReach {
  const version = isIP(address);
  // An address with a zone index (`%eth0`) is link-local.
  if (version === 0 || address.includes('%')) return 'none';
  const family = version === 4 ? 'ipv4' : 'ipv6';
  if (NONE.check(address, family)) return 'none';
  if (MACHINE.check(address, family)) return 'machine';
  if (PRIVATE.check(address, family)) return 'network';
  // Other IPv6 ranges are unassigned or have a special purpose.
  return family === 'ipv4' || MAPPED.check(address, family) || GLOBAL.check(address, family) ? 'public' : 'none';
}

/** The list also matches IPv4-mapped IPv6 addresses (`::ffff:127.0.0.1`) against its IPv4 rules. */
function makeBlockList(...subnets: readonly (readonly [network: string, prefix: number])[]): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of subnets) list.addSubnet(network, prefix, isIP(network) === 4 ? 'ipv4' : 'ipv6');
  return list;
}

const MAPPED = makeBlockList(['::ffff:0:0', 96]);
const GLOBAL = makeBlockList(['2000::', 3]);

const MACHINE = makeBlockList(['127.0.0.0', 8], ['::1', 128]);

/** Private networks and carrier-grade NAT. */
const PRIVATE = makeBlockList(
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['fc00::', 7],
);

const NONE = makeBlockList(
  ['0.0.0.0', 8],
  // Link-local addresses, at which AWS serves the metadata of instances, containers and functions.
  ['169.254.0.0', 16],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.31.196.0', 24],
  ['192.52.193.0', 24],
  ['192.88.99.0', 24],
  ['192.175.48.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
  // Cloud metadata services at private or public addresses: Alibaba, Azure, AWS, Google.
  ['100.100.100.200', 32],
  ['168.63.129.16', 32],
  ['fd00:ec2::', 32],
  ['fd20:ce::', 32],
  // Special ranges inside global unicast: IETF assignments (Teredo, ORCHID), documentation, 6to4, AS112.
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
);
