/** §6 One request with one deadline, over a keep-alive connection or a new one. */
import { DeadlineExceeded, type ReceiverAnswer } from './answer.ts';
import type { KeepAliveAgents } from './connections.ts';
import { exchange, type Network, type Outgoing } from './exchange.ts';
import { SENDING_LIMITS } from './limits.ts';

export interface Connected extends Network {
  /** Agents that keep connections to the receiver open. Without them, each request opens a new connection. */
  readonly kept?: KeepAliveAgents | undefined;
}

/**
 * Sends a request. If a keep-alive connection turns out to be closed, sends the request again over a new connection,
 * within the same deadline. The promise never rejects.
 */
export async function request(outgoing: Omit<Outgoing, 'deadline'>, network: Connected): Promise<ReceiverAnswer> {
  const kept = outgoing.url.protocol === 'https:' ? network.kept?.secure : network.kept?.plain;
  const late = new AbortController();
  // Not `AbortSignal.timeout`, because it cannot be cleared and would keep each request in memory until it fires.
  const timer = setTimeout(() => late.abort(new DeadlineExceeded()), SENDING_LIMITS.deliveryMilliseconds);
  try {
    const sent = { ...outgoing, deadline: late.signal };
    const { answer, isStale } = await exchange(sent, network, kept ?? false);
    return isStale ? (await exchange(sent, network, false)).answer : answer;
  } finally {
    clearTimeout(timer);
  }
}
