/** §6 The event bus that run events leave by: what goes wrong with one entry is told of that one alone. */
import { EventBridgeClient, PutEventsCommand, type PutEventsRequestEntry } from '@aws-sdk/client-eventbridge';
import { EVENT_SOURCE } from '../environment.ts';
import { WEBHOOK_LIMITS } from '../webhook-limits.ts';
import { CONNECTION } from './connection.ts';

export interface BusEntry {
  /** What the rules go by. */
  readonly event: string;
  readonly detail: object;
  /** Milliseconds. */
  readonly at: number;
}

/** What the bus did not take, and why in words. */
export interface Untaken {
  readonly index: number;
  readonly reason: string;
}

interface Numbered {
  readonly index: number;
  readonly entry: PutEventsRequestEntry;
}

export class EventBus {
  readonly #client: EventBridgeClient;
  readonly #name: string;

  private constructor(client: EventBridgeClient, name: string) {
    this.#client = client;
    this.#name = name;
  }

  static connect(name: string): EventBus {
    return new EventBus(new EventBridgeClient(CONNECTION), name);
  }

  /** In order. Answers what the bus did not take: that may be published again, and so may the rest. */
  async publish(entries: readonly BusEntry[]): Promise<readonly Untaken[]> {
    const numbered = entries.map((entry, index) => ({ index, entry: this.#entryOf(entry) }));
    const untaken: Untaken[] = [];
    for (const piece of pieces(numbered)) untaken.push(...(await this.#put(piece)));
    return untaken;
  }

  #entryOf({ event, detail, at }: BusEntry): PutEventsRequestEntry {
    return {
      EventBusName: this.#name,
      Source: EVENT_SOURCE,
      DetailType: event,
      Detail: JSON.stringify(detail),
      Time: new Date(at),
    };
  }

  async #put(piece: readonly Numbered[]): Promise<Untaken[]> {
    try {
      const Entries = piece.map(({ entry }) => entry);
      const answer = await this.#client.send(new PutEventsCommand({ Entries }));
      // One answer per entry, in their order; taken is what was given an id.
      return piece.flatMap(({ index }, place) => {
        const { EventId, ErrorCode, ErrorMessage } = answer.Entries?.[place] ?? {};
        return EventId === undefined ? [{ index, reason: `${ErrorCode}: ${ErrorMessage}` }] : [];
      });
    } catch (error) {
      return piece.map(({ index }) => ({ index, reason: String(error) }));
    }
  }
}

/** What one call takes: ten entries, and bytes that are counted together. */
function pieces(all: readonly Numbered[]): Numbered[][] {
  const made: Numbered[][] = [];
  let [last, bytes]: [Numbered[] | undefined, number] = [undefined, 0];
  for (const numbered of all) {
    const size = Buffer.byteLength(numbered.entry.Detail ?? '');
    if (
      !last ||
      last.length === WEBHOOK_LIMITS.outbound.entriesPerCall ||
      bytes + size > WEBHOOK_LIMITS.outbound.bytesPerCall
    ) {
      [last, bytes] = [[], 0];
      made.push(last);
    }
    last.push(numbered);
    bytes += size;
  }
  return made;
}
