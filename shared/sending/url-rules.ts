/** §6 Rules for the URL of a receiver, which apply when the URL is saved, and again before every request. */
import { isIP } from 'node:net';
import { type AddressPolicy, mayReach } from './addresses.ts';
import { SENDING_LIMITS } from './limits.ts';

/** Says what is wrong and what to do, or `undefined`. Host names are not resolved until delivery. */
export function findUrlProblem(text: string, policy: AddressPolicy): string | undefined {
  if (text.length > SENDING_LIMITS.urlCharacters) {
    return `The URL exceeds ${SENDING_LIMITS.urlCharacters} characters. Send a shorter one`;
  }
  const url = URL.parse(text);
  if (url === null || AMBIGUOUS.test(text)) {
    return 'The URL is invalid. Send an absolute URL, such as https://example.com/hook, with spaces and backslashes percent-encoded';
  }
  return findSchemeProblem(url, policy) ?? findPartsProblem(text, url) ?? findHostProblem(getHost(url), policy);
}

/** The host to connect to, without the brackets of an IPv6 address. `URL` has normalized all other notations. */
export const getHost = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1');

/** URL parsers disagree about these characters: the WHATWG standard drops some and reads backslashes as slashes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: the purpose is to find control characters
const AMBIGUOUS = /[\u0000-\u0020\u007f\\]/;

function findSchemeProblem({ protocol }: URL, { privateReceivers }: AddressPolicy): string | undefined {
  const isPublicOnly = privateReceivers === 'none';
  if (protocol === 'https:' || (protocol === 'http:' && !isPublicOnly)) return undefined;
  return isPublicOnly
    ? 'The URL does not begin with https://. Send one that does'
    : 'The URL begins neither with https:// nor with http://. Send one that does';
}

function findPartsProblem(text: string, { protocol, username, password, port }: URL): string | undefined {
  if (username !== '' || password !== '' || EMPTY_USER_INFO.test(text)) {
    return 'The URL contains a user name or password. Remove it. A webhook can send it as an `Authorization` header, in `headers`';
  }
  if (text.includes('#'))
    return 'The URL has a fragment, which HTTP does not send. Remove the `#` and everything after it';
  if (port !== '' && Number(port) <= SENDING_LIMITS.systemPorts) {
    const standard = protocol === 'https:' ? 443 : 80;
    return `This service does not send to port ${port}. Use port ${standard} or a port above ${SENDING_LIMITS.systemPorts}`;
  }
  return undefined;
}

const EMPTY_USER_INFO = /^[^/?]*\/\/[^/?]*@/;

function findHostProblem(host: string, policy: AddressPolicy): string | undefined {
  const { privateReceivers } = policy;
  if (isIP(host) !== 0 && mayReach(host, policy)) return undefined;
  if (isIP(host) === 0 && (!LOCALHOST.test(host) || privateReceivers === 'machine')) return undefined;
  return privateReceivers === 'none'
    ? `${host} is not on the public internet. Use a public receiver, or ask the operator to allow private receivers`
    : `This service may not send to ${host}. Use a receiver on the internet or in your own network`;
}

const LOCALHOST = /(^|\.)localhost\.*$/;
