/** §6 Which addresses a webhook may reach: the IANA special-purpose registries, and where clouds keep their metadata. */
import { BlockList, isIP } from 'node:net';
import type { Services } from '../services.ts';

/** `network` and `machine` are reached where the operator allows it, `none` never: no receiver can be there. */
type Reach = 'public' | 'network' | 'machine' | 'none';

export type Policy = Pick<Services, 'privateReceivers'>;

export const mayReach = (address: string, { privateReceivers }: Policy): boolean => {
  const reach = reachOf(address);
  if (reach === 'network') return privateReceivers !== 'none';
  return reach === 'public' || (reach === 'machine' && privateReceivers === 'machine');
};

function reachOf(address: string): Reach {
  const version = isIP(address);
  // A zone (`%eth0`) is for addresses of one link only.
  if (version === 0 || address.includes('%')) return 'none';
  const family = version === 4 ? 'ipv4' : 'ipv6';
  if (NONE.check(address, family)) return 'none';
  if (MACHINE.check(address, family)) return 'machine';
  if (PRIVATE.check(address, family)) return 'network';
  // All other IPv6 is not assigned, or stands for something else.
  return family === 'ipv4' || MAPPED.check(address, family) || GLOBAL.check(address, family) ? 'public' : 'none';
}

/** Lists judge an IPv4 address in its IPv6 form (`::ffff:127.0.0.1`) by the IPv4 rules. */
function listOf(...subnets: readonly (readonly [network: string, prefix: number])[]): BlockList {
  const list = new BlockList();
  for (const [network, prefix] of subnets) list.addSubnet(network, prefix, isIP(network) === 4 ? 'ipv4' : 'ipv6');
  return list;
}

const MAPPED = listOf(['::ffff:0:0', 96]);
const GLOBAL = listOf(['2000::', 3]);

const MACHINE = listOf(['127.0.0.0', 8], ['::1', 128]);

/** Networks of organizations, and what carriers share. */
const PRIVATE = listOf(['10.0.0.0', 8], ['100.64.0.0', 10], ['172.16.0.0', 12], ['192.168.0.0', 16], ['fc00::', 7]);

const NONE = listOf(
  ['0.0.0.0', 8],
  // Link-local: on AWS, the metadata of instances, containers and functions.
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
  // Metadata that clouds keep among private or public addresses: Alibaba, Azure, AWS, Google.
  ['100.100.100.200', 32],
  ['168.63.129.16', 32],
  ['fd00:ec2::', 32],
  ['fd20:ce::', 32],
  // IETF assignments with Teredo and ORCHID, documentation, 6to4, AS112: within what is global otherwise.
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['2620:4f:8000::', 48],
  ['3fff::', 20],
);
