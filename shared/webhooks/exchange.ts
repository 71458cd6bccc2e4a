/** §6 One request to one receiver and its answer, over one connection. */
import { type Agent, type IncomingMessage, request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { Policy } from './addresses.ts';
import { mayReach } from './addresses.ts';
import { type Answer, readAnswer, withoutAnswer, wordsFor } from './answer.ts';
import { guardedLookup, RefusedAddress } from './guarded-lookup.ts';
import { hostOf } from './url-rules.ts';

export interface Post {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Ends it, whatever it is doing. */
  readonly deadline: AbortSignal;
}

export interface Network extends Policy {
  /** Of names; the system's unless a test scripts them. */
  readonly lookup?: LookupFunction;
}

export interface Exchanged {
  readonly answer: Answer;
  /** Whether it was over a connection that stood before, and failed: that may have ended unnoticed. */
  readonly isStale: boolean;
}

/**
 * No byte is sent before the address at the other end is known to be one that may be reached, whoever made the connection.
 * Never rejects. `agent`: `false` for a connection of its own.
 */
export function exchange(post: Post, network: Network, agent: Agent | false): Promise<Exchanged> {
  const { url, headers, body, deadline } = post;
  const isSecure = url.protocol === 'https:';
  return new Promise((resolve) => {
    const fail = (error: unknown, isStale = false) => resolve({ answer: withoutAnswer(wordsFor(error)), isStale });
    try {
      const request = (isSecure ? secureRequest : plainRequest)({
        method: 'POST',
        host: hostOf(url),
        port: url.port,
        path: `${url.pathname}${url.search}`,
        headers,
        lookup: guardedLookup(network, network.lookup),
        agent,
      });
      deadline.addEventListener('abort', () => request.destroy(deadline.reason));
      request.on('socket', (socket) => {
        const check = () => mayReach(socket.remoteAddress ?? '', network) || request.destroy(new RefusedAddress());
        const write = () => request.destroyed || request.end(body);
        if (request.reusedSocket) {
          check();
          write();
          return;
        }
        // First of all who wait for it, so that no handshake begins either.
        socket.prependOnceListener('connect', check);
        socket.once(isSecure ? 'secureConnect' : 'connect', write);
      });
      request.on('response', (response) => resolve(answered(response, deadline)));
      request.on('error', (error) => fail(error, request.reusedSocket && !deadline.aborted));
      request.on('close', () => fail(undefined));
    } catch (error) {
      fail(error);
    }
  });
}

const answered = async (response: IncomingMessage, deadline: AbortSignal): Promise<Exchanged> => ({
  answer: await readAnswer(response, deadline),
  isStale: false,
});
