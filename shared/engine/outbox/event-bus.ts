/** §6 The EventBridge bus for run events. Failures are reported separately for each entry. */

import { EventBridgeClient, PutEventsCommand, type PutEventsRequestEntry } from '@aws-sdk/client-eventbridge';
import { chunksWithin } from '#shared/engine/chunks.ts';
import { queueableTexts } from '#shared/engine/queueable.ts';
import { sdkConnection } from '#shared/engine/sdk-connection.ts';
import { OUTBOX_LIMITS } from './limits.ts';

const { entriesPerCall, bytesPerCall } = OUTBOX_LIMITS;

export interface BusEntry {
  /** The event type. The rules of the event bus match events by this type. */
  readonly event: string;
  readonly detail: object;
  /** The time of the event in epoch milliseconds. */
  readonly at: number;
}

/** An entry that could not be published, because the bus refused it or the call failed. */
export interface RefusedEntry {
  readonly index: number;
  readonly reason: string;
}

interface Numbered {
  readonly index: number;
  readonly entry: PutEventsRequestEntry;
}

export class EventBus {
  readonly #client = new EventBridgeClient(sdkConnection(OUTBOX_LIMITS));
  readonly #name: string;
  readonly #source: string;

  /** Connects to the bus with this name. `source`: the `Source` of every entry. */
  constructor(name: string, source: string) {
    this.#name = name;
    this.#source = source;
  }

  /** Publishes entries in order and returns those that could not be published. Publishing an entry again is safe. */
  async publish(entries: readonly BusEntry[]): Promise<readonly RefusedEntry[]> {
    const numbered = entries.map((entry, index) => ({ index, entry: this.#entryOf(entry) }));
    const sizeOf = ({ entry }: Numbered) => Buffer.byteLength(entry.Detail ?? '');
    const refused: RefusedEntry[] = [];
    // A call is limited in the number of entries and in their total size.
    for (const piece of chunksWithin(numbered, { most: entriesPerCall, bytes: bytesPerCall }, sizeOf))
      refused.push(...(await this.#put(piece)));
    return refused;
  }

  /**
   * Health check: publishes an event that no rule matches. If that succeeds, an earlier refusal was caused by the
   * refused event and not by the bus.
   */
  async isUp(at: number): Promise<boolean> {
    return (await this.publish([{ event: 'PROBE', detail: {}, at }])).length === 0;
  }

  #entryOf({ event, detail, at }: BusEntry): PutEventsRequestEntry {
    return {
      EventBusName: this.#name,
      Source: this.#source,
      DetailType: event,
      // Older rows may contain characters that SQS refuses. `queueableTexts` replaces these characters.
      Detail: JSON.stringify(detail, queueableTexts),
      Time: new Date(at),
    };
  }

  async #put(piece: readonly Numbered[]): Promise<RefusedEntry[]> {
    try {
      const Entries = piece.map(({ entry }) => entry);
      const answer = await this.#client.send(new PutEventsCommand({ Entries }));
      // The response has one result per entry, in order. Accepted entries have an id.
      return piece.flatMap(({ index }, place) => {
        const { EventId, ErrorCode, ErrorMessage } = answer.Entries?.[place] ?? {};
        return EventId === undefined ? [{ index, reason: `${ErrorCode}: ${ErrorMessage}` }] : [];
      });
    } catch (error) {
      return piece.map(({ index }) => ({ index, reason: String(error) }));
    }
  }
}
