/** §6 One request with one deadline, over a kept connection or a new one. */
import { DeadlineExceeded, type ReceiverAnswer } from './answer.ts';
import type { KeepAliveAgents } from './connections.ts';
import { exchange, type Network, type Outgoing } from './exchange.ts';
import { SENDING_LIMITS } from './limits.ts';

export interface Connected extends Network {
  /** Agents of the receiver. Without them each request opens a new connection. */
  readonly kept?: KeepAliveAgents | undefined;
}

/** Repeats the request over a new connection if a kept one turns out to be closed. Both share one deadline. Never rejects. */
export async function request(outgoing: Omit<Outgoing, 'deadline'>, network: Connected): Promise<ReceiverAnswer> {
  const kept = outgoing.url.protocol === 'https:' ? network.kept?.secure : network.kept?.plain;
  const late = new AbortController();
  // `AbortSignal.timeout` cannot be cleared: it would keep each request in memory until it fires.
  const timer = setTimeout(() => late.abort(new DeadlineExceeded()), SENDING_LIMITS.deliveryMilliseconds);
  try {
    const sent = { ...outgoing, deadline: late.signal };
    const { answer, isStale } = await exchange(sent, network, kept ?? false);
    return isStale ? (await exchange(sent, network, false)).answer : answer;
  } finally {
    clearTimeout(timer);
  }
}
