/** §6 Where a webhook may point: asked when it is saved, and again at every attempt to deliver. */
import { isIP } from 'node:net';
import { WEBHOOK_LIMITS } from '../webhook-limits.ts';
import { mayReach, type Policy } from './addresses.ts';

/** What is wrong with it, and what to do; `undefined` for a good one. Names are looked up when something is sent. */
export function problemOfUrl(text: string, policy: Policy): string | undefined {
  if (text.length > WEBHOOK_LIMITS.webhookUrlCharacters) {
    return `The URL is longer than ${WEBHOOK_LIMITS.webhookUrlCharacters} characters. Send a shorter one`;
  }
  const url = URL.parse(text);
  if (url === null || AMBIGUOUS.test(text)) {
    return 'The URL cannot be read. Send an absolute one, such as https://example.com/hook, with blanks and backslashes percent-encoded';
  }
  return problemOfScheme(url, policy) ?? problemOfParts(text, url) ?? problemOfHost(hostOf(url), policy);
}

/** As it is connected to: without the brackets of an IPv6 address, which every notation of an address has become by now. */
export const hostOf = ({ hostname }: URL): string => hostname.replace(/^\[(.*)\]$/, '$1');

/** Others read these differently than the standard that we follow, which drops some and takes some for slashes. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose
const AMBIGUOUS = /[\u0000-\u0020\u007f\\]/;

function problemOfScheme({ protocol }: URL, { privateReceivers }: Policy): string | undefined {
  const isPublicOnly = privateReceivers === 'none';
  if (protocol === 'https:' || (protocol === 'http:' && !isPublicOnly)) return undefined;
  return isPublicOnly ? 'Send a URL that begins with https://' : 'Send a URL that begins with https:// or http://';
}

function problemOfParts(text: string, { protocol, username, password, port }: URL): string | undefined {
  if (username !== '' || password !== '' || EMPTY_USER_INFO.test(text)) {
    return 'The URL holds a user name or a password. Send them as an `Authorization` header, in `headers`';
  }
  if (text.includes('#'))
    return 'The URL has a fragment, which no server receives. Send it without the `#` and the rest';
  if (port !== '' && Number(port) <= WEBHOOK_LIMITS.systemPorts) {
    const standard = protocol === 'https:' ? 443 : 80;
    return `Port ${port} is not for webhooks. Use port ${standard}, or one above ${WEBHOOK_LIMITS.systemPorts}`;
  }
  return undefined;
}

const EMPTY_USER_INFO = /^[^/?]*\/\/[^/?]*@/;

function problemOfHost(host: string, policy: Policy): string | undefined {
  const { privateReceivers } = policy;
  const isName = isIP(host) === 0;
  if (isName ? !LOCALHOST.test(host) || privateReceivers === 'machine' : mayReach(host, policy)) return undefined;
  return privateReceivers === 'none'
    ? `${host} is not on the internet. Use a receiver that is, or ask the operator of this service to allow private ones`
    : `Nothing may be sent to ${host}. Use a receiver on the internet or in your own network`;
}

const LOCALHOST = /(^|\.)localhost\.*$/;
