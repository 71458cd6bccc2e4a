/** §6 Sends one request to one receiver and reads its response. */
import { type Agent, type IncomingMessage, request as plainRequest } from 'node:http';
import { request as secureRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { AddressPolicy } from './addresses.ts';
import { mayReach } from './addresses.ts';
import {
  type AnswerBytes,
  DeadlineExceeded,
  describeSendingError,
  makeErrorAnswer,
  type ReceiverAnswer,
  readAnswer,
} from './answer.ts';
import type { KeepAliveAgents } from './connections.ts';
import { guardLookup, RefusedAddress } from './guarded-lookup.ts';
import { SENDING_LIMITS } from './limits.ts';
import { getHost } from './url-rules.ts';

export interface OutgoingRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Aborting this signal aborts the request in any state. */
  readonly deadline: AbortSignal;
  /** How much of the response body is read and kept. Default: the limits for deliveries. */
  readonly answerBytes?: AnswerBytes | undefined;
}

export interface Network extends AddressPolicy {
  /** Resolves host names. Defaults to the system resolver; tests replace it. */
  readonly lookup?: LookupFunction;
}

interface ExchangeResult {
  readonly answer: ReceiverAnswer;
  /** Whether a reused connection failed. The receiver may have closed it before the request was sent. */
  readonly isStale: boolean;
}

/**
 * Sends one request. For SSRF protection, checks the remote address of the connection, new or reused, before it sends
 * any byte. The promise never rejects. If `agent` is `false`, a new connection is opened.
 */
function exchange(outgoing: OutgoingRequest, network: Network, agent: Agent | false): Promise<ExchangeResult> {
  const { method, url, headers, body, deadline, answerBytes } = outgoing;
  const isSecure = url.protocol === 'https:';
  return new Promise((resolve) => {
    const fail = (error: unknown, isStale = false) =>
      resolve({ answer: makeErrorAnswer(describeSendingError(error)), isStale });
    try {
      const request = (isSecure ? secureRequest : plainRequest)({
        method,
        host: getHost(url),
        port: url.port,
        path: `${url.pathname}${url.search}`,
        headers: body === '' ? headers : { ...headers, 'Content-Length': String(Buffer.byteLength(body)) },
        lookup: guardLookup(network, network.lookup),
        agent,
      });
      deadline.addEventListener('abort', () => request.destroy(deadline.reason));
      request.on('socket', (socket) => {
        const check = () => {
          if (!mayReach(socket.remoteAddress ?? '', network)) request.destroy(new RefusedAddress());
        };
        const write = () => {
          if (!request.destroyed) request.end(body);
        };
        if (request.reusedSocket) {
          check();
          write();
          return;
        }
        // The check runs before all other listeners, so that a forbidden address does not even get a TLS handshake.
        socket.prependOnceListener('connect', check);
        socket.once(isSecure ? 'secureConnect' : 'connect', write);
      });
      request.on('response', (response) => resolve(toExchangeResult(response, deadline, answerBytes)));
      request.on('error', (error) => fail(error, request.reusedSocket && !deadline.aborted));
      request.on('close', () => fail(undefined));
    } catch (error) {
      fail(error);
    }
  });
}

const toExchangeResult = async (
  response: IncomingMessage,
  deadline: AbortSignal,
  answerBytes: AnswerBytes | undefined,
): Promise<ExchangeResult> => ({
  answer: await readAnswer(response, deadline, answerBytes),
  isStale: false,
});

export interface KeepAliveNetwork extends Network {
  /** Agents that keep connections to the receiver open. Without them, each request opens a new connection. */
  readonly kept?: KeepAliveAgents | undefined;
}

/**
 * Sends a request. If a keep-alive connection turns out to be closed, sends the request again over a new connection,
 * within the same deadline. The promise never rejects.
 */
export async function sendRequest(
  outgoing: Omit<OutgoingRequest, 'deadline'>,
  network: KeepAliveNetwork,
): Promise<ReceiverAnswer> {
  const agent = outgoing.url.protocol === 'https:' ? network.kept?.secure : network.kept?.plain;
  const controller = new AbortController();
  // Not `AbortSignal.timeout`, because it cannot be cleared and would keep each request in memory until it fires.
  const timer = setTimeout(() => controller.abort(new DeadlineExceeded()), SENDING_LIMITS.deliveryMilliseconds);
  try {
    const timedRequest = { ...outgoing, deadline: controller.signal };
    const { answer, isStale } = await exchange(timedRequest, network, agent ?? false);
    return isStale ? (await exchange(timedRequest, network, false)).answer : answer;
  } finally {
    clearTimeout(timer);
  }
}
