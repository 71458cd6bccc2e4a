/**
 * §5.3 Reads a small document with protection against SSRF: redirects are not followed, and only public addresses are
 * allowed. If clients may run on the local machine, its addresses and those of private networks are allowed, too.
 */

import { request } from 'node:https';
import type { LookupFunction } from 'node:net';
import { type AddressPolicy, mayReach } from '#shared/sending/addresses.ts';
import { guardLookup, RefusedAddress } from '#shared/sending/guarded-lookup.ts';
import { findUrlProblem, getHost } from '#shared/sending/url-rules.ts';
import { OAUTH_LIMITS } from './limits.ts';

interface GetPolicy extends AddressPolicy {
  /** Resolves host names. Only tests set this function. Default: the system resolver. */
  readonly lookup?: LookupFunction;
  /** Whether any port is allowed. Only tests set this flag, because they cannot listen on the standard port. */
  readonly anyPort?: boolean;
}

export interface PublishedDocument {
  readonly text: string;
  readonly cacheControl: string;
}

/** `undefined` for every failure, because the reason could reveal the structure of the internal network. */
export async function fetchGuarded(address: string, network: GetPolicy): Promise<PublishedDocument | undefined> {
  const url = URL.parse(address);
  if (url?.protocol !== 'https:' || findUrlProblem(address, network) !== undefined) return undefined;
  // The host name in a client id identifies the client, so the URL must use the standard port. If clients may be on the
  // local machine, any port is allowed, because ordinary users cannot listen on the standard port.
  if (url.port !== '' && !network.anyPort && network.privateReceivers !== 'machine') return undefined;
  try {
    return await sendRequest(url, network);
  } catch {
    return undefined;
  }
}

function sendRequest(url: URL, network: GetPolicy): Promise<PublishedDocument | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<PublishedDocument | undefined>();
  const outgoingRequest = request({
    method: 'GET',
    host: getHost(url),
    port: url.port,
    path: `${url.pathname}${url.search}`,
    headers: { accept: 'application/json', 'accept-encoding': 'identity', host: url.host },
    lookup: guardLookup(network, network.lookup),
    agent: false,
    signal: AbortSignal.timeout(OAUTH_LIMITS.documentMilliseconds),
  });
  outgoingRequest.on('socket', (socket) => {
    // Checks the address before any other listener runs, so that no TLS handshake starts with a forbidden address.
    socket.prependOnceListener('connect', () => {
      if (!mayReach(socket.remoteAddress ?? '', network)) outgoingRequest.destroy(new RefusedAddress());
    });
  });
  outgoingRequest.on('error', reject);
  outgoingRequest.on('close', () => resolve(undefined));
  outgoingRequest.on('response', async (response) => {
    const { statusCode, headers } = response;
    const parts: Buffer[] = [];
    let bytes = 0;
    try {
      for await (const part of response) {
        bytes += part.length;
        if (statusCode !== 200 || bytes > OAUTH_LIMITS.documentBytes) break;
        parts.push(part);
      }
      const isWhole = statusCode === 200 && bytes <= OAUTH_LIMITS.documentBytes;
      const text = Buffer.concat(parts).toString();
      resolve(isWhole ? { text, cacheControl: headers['cache-control'] ?? '' } : undefined);
    } catch (error) {
      reject(error);
    }
  });
  outgoingRequest.end();
  return promise;
}
