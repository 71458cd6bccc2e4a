/** §6 The event bus for run events. A failure is reported for the failed entry only. */
import { EventBridgeClient, PutEventsCommand, type PutEventsRequestEntry } from '@aws-sdk/client-eventbridge';
import { queueableTexts } from '#shared/engine/queueable.ts';
import { CONNECTION } from './connection.ts';
import { OUTBOX_LIMITS } from './limits.ts';

export interface BusEntry {
  /** The event type, which rules match. */
  readonly event: string;
  readonly detail: object;
  /** The time of the event in milliseconds. */
  readonly at: number;
}

/** An entry that the bus refused, and the reason. */
export interface RefusedEntry {
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
  readonly #source: string;

  private constructor(client: EventBridgeClient, name: string, source: string) {
    this.#client = client;
    this.#name = name;
    this.#source = source;
  }

  /** `source`: the `Source` of every entry. */
  static connect(name: string, source: string): EventBus {
    return new EventBus(new EventBridgeClient(CONNECTION), name, source);
  }

  /** Publishes in order and returns the refused entries. The caller may publish any entry again. */
  async publish(entries: readonly BusEntry[]): Promise<readonly RefusedEntry[]> {
    const numbered = entries.map((entry, index) => ({ index, entry: this.#entryOf(entry) }));
    const refused: RefusedEntry[] = [];
    for (const piece of pieces(numbered)) refused.push(...(await this.#put(piece)));
    return refused;
  }

  /** Publishes an event that no rule matches. Success shows that a refusal was the fault of one event. */
  async isUp(at: number): Promise<boolean> {
    return (await this.publish([{ event: 'PROBE', detail: {}, at }])).length === 0;
  }

  #entryOf({ event, detail, at }: BusEntry): PutEventsRequestEntry {
    return {
      EventBusName: this.#name,
      Source: this.#source,
      DetailType: event,
      // Rows of an earlier version may contain texts that a queue refuses. The replacer makes them safe.
      Detail: JSON.stringify(detail, queueableTexts),
      Time: new Date(at),
    };
  }

  async #put(piece: readonly Numbered[]): Promise<RefusedEntry[]> {
    try {
      const Entries = piece.map(({ entry }) => entry);
      const answer = await this.#client.send(new PutEventsCommand({ Entries }));
      // The response has one result per entry, in order. An accepted entry has an id.
      return piece.flatMap(({ index }, place) => {
        const { EventId, ErrorCode, ErrorMessage } = answer.Entries?.[place] ?? {};
        return EventId === undefined ? [{ index, reason: `${ErrorCode}: ${ErrorMessage}` }] : [];
      });
    } catch (error) {
      return piece.map(({ index }) => ({ index, reason: String(error) }));
    }
  }
}

/** One call takes ten entries and a limited number of bytes in total. */
function pieces(all: readonly Numbered[]): Numbered[][] {
  const made: Numbered[][] = [];
  let last: Numbered[] | undefined;
  let bytes = 0;
  for (const numbered of all) {
    const size = Buffer.byteLength(numbered.entry.Detail ?? '');
    if (!last || last.length === OUTBOX_LIMITS.entriesPerCall || bytes + size > OUTBOX_LIMITS.bytesPerCall) {
      [last, bytes] = [[], 0];
      made.push(last);
    }
    last.push(numbered);
    bytes += size;
  }
  return made;
}
