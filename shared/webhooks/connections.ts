/** §6 Connections to receivers that stay open for the next delivery: to the same webhook alone, for moments, and few. */
import { Agent as PlainAgent } from 'node:http';
import { Agent as SecureAgent } from 'node:https';
import { WEBHOOK_LIMITS } from '../webhook-limits.ts';

const { webhooks, each, idleMilliseconds, longestMilliseconds } = WEBHOOK_LIMITS.keptConnections;

/** The connections to one webhook's receiver. */
export interface Kept {
  readonly plain: PlainAgent;
  readonly secure: PlainAgent;
}

export class Connections {
  readonly #kept = new Map<string, Kept & { readonly until: number }>();

  /**
   * Never of another webhook, though its receiver may be the same: what is sent over a connection unasked can be taken for
   * the answer to the next request on it.
   */
  of(webhook: string, now: number): Kept {
    const found = this.#kept.get(webhook);
    this.#kept.delete(webhook);
    if (found && found.until <= now) close(found);
    const kept = found && found.until > now ? found : open(now + longestMilliseconds);
    // The one that was asked for last is behind all others.
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
  // A session that is resumed would not have its certificate's name looked at again.
  return { plain: new PlainAgent(options), secure: new SecureAgent({ ...options, maxCachedSessions: 0 }), until };
}

/** What is under way ends undisturbed, and is not kept. */
function close({ plain, secure }: Kept): void {
  for (const agent of [plain, secure]) {
    agent.maxFreeSockets = 0;
    for (const idle of Object.values(agent.freeSockets).flat()) idle?.destroy();
  }
}
