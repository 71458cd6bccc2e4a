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

  /** Never shared: an unsolicited response could reach the next request of another webhook or notification. */
  of(webhook: string, now: number): KeepAliveAgents {
    const entry = this.#kept.get(webhook);
    this.#kept.delete(webhook);
    if (entry && entry.until <= now) closeAgents(entry);
    const agents = entry && entry.until > now ? entry : openAgents(now + longestMilliseconds);
    // Moves the entry to the end: the map is a least-recently-used list.
    this.#kept.set(webhook, agents);
    for (const [name, oldestAgents] of this.#kept) {
      if (this.#kept.size <= webhooks) break;
      this.#kept.delete(name);
      closeAgents(oldestAgents);
    }
    return agents;
  }
}

function openAgents(until: number) {
  const options = { keepAlive: true, maxFreeSockets: each, timeout: idleMilliseconds };
  // TLS sessions are not resumed, because a resumed session would skip the check of the certificate's host name.
  return { plain: new PlainAgent(options), secure: new SecureAgent({ ...options, maxCachedSessions: 0 }), until };
}

/** Closes idle connections. Requests in flight still complete, and their connections close afterwards. */
function closeAgents({ plain, secure }: KeepAliveAgents): void {
  for (const agent of [plain, secure]) {
    agent.maxFreeSockets = 0;
    for (const idle of Object.values(agent.freeSockets).flat()) idle?.destroy();
  }
}
