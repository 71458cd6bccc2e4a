/** §6 Keep-alive connections to receivers: few, short-lived, and never shared by two webhooks or notifications. */
import { Agent as PlainAgent } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import { SENDING_LIMITS } from './limits.ts';

const { webhooks, each, idleMilliseconds, longestMilliseconds } = SENDING_LIMITS.keptConnections;

/** The agents of one webhook or notification. */
export interface KeepAliveAgents {
  readonly plain: PlainAgent;
  readonly secure: PlainAgent;
}

export class Connections {
  readonly #kept = new Map<string, KeepAliveAgents & { readonly until: number }>();

  /**
   * Returns the agents of a webhook or notification. Two of them never share a connection, even to the same receiver.
   * Otherwise an unsolicited response could reach the next request of the other one.
   */
  of(webhook: string, now: number): KeepAliveAgents {
    const found = this.#kept.get(webhook);
    this.#kept.delete(webhook);
    if (found && found.until <= now) close(found);
    const kept = found && found.until > now ? found : open(now + longestMilliseconds);
    // Moves the entry to the end: the map is a least-recently-used list.
    this.#kept.set(webhook, kept);
    for (const [name, oldest] of this.#kept) {
      if (this.#kept.size <= webhooks) break;
      this.#kept.delete(name);
      close(oldest);
    }
    return kept;
  }
}

function open(until: number) {
  const options = { keepAlive: true, maxFreeSockets: each, timeout: idleMilliseconds };
  // TLS sessions are not resumed, because a resumed session would skip the check of the certificate's host name.
  return { plain: new PlainAgent(options), secure: new SecureAgent({ ...options, maxCachedSessions: 0 }), until };
}

/** Closes idle connections. Requests in flight still complete, and their connections close afterwards. */
function close({ plain, secure }: KeepAliveAgents): void {
  for (const agent of [plain, secure]) {
    agent.maxFreeSockets = 0;
    for (const idle of Object.values(agent.freeSockets).flat()) idle?.destroy();
  }
}
