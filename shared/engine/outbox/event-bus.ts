/** §6 The EventBridge bus for run events. Failures are reported separately for each entry. */

import { EventBridgeClient, PutEventsCommand, type PutEventsRequestEntry } from '@aws-sdk/client-eventbridge';
import { splitIntoBoundedChunks } from '#shared/engine/chunks.ts';
import { replaceInvalidInJson } from '#shared/engine/queueable.ts';
import { makeSdkConfiguration } from '#shared/engine/sdk-connection.ts';
import { OUTBOX_LIMITS } from './limits.ts';

const { entriesPerCall, bytesPerCall } = OUTBOX_LIMITS;

export interface BusEntry {
  /** The rules of the event bus match events by this type. */
  readonly event: string;
  readonly detail: object;
  /** In epoch milliseconds. */
  readonly at: number;
}

/** The bus refused the entry, or the call failed. */
export interface RefusedEntry {
  readonly index: number;
  readonly reason: string;
}

interface NumberedEntry {
  readonly index: number;
  readonly entry: PutEventsRequestEntry;
}

export class EventBus {
  readonly #client = new EventBridgeClient(makeSdkConfiguration(OUTBOX_LIMITS));
  readonly #name: string;
  readonly #source: string;

  /** `source`: the `Source` of every entry. */
  constructor(name: string, source: string) {
    this.#name = name;
    this.#source = source;
  }

  /** Keeps the order and returns the entries that could not be published. Publishing an entry again is safe. */
  async publish(entries: readonly BusEntry[]): Promise<readonly RefusedEntry[]> {
    const numberedEntries = entries.map((entry, index) => ({ index, entry: this.#entryOf(entry) }));
    const sizeOf = ({ entry }: NumberedEntry) => Buffer.byteLength(entry.Detail ?? '');
    const refusedEntries: RefusedEntry[] = [];
    // A call is limited in the number of entries and in their total size.
    for (const piece of splitIntoBoundedChunks(numberedEntries, { most: entriesPerCall, bytes: bytesPerCall }, sizeOf))
      refusedEntries.push(...(await this.#put(piece)));
    return refusedEntries;
  }

  /** Publishes an event that no rule matches. If that succeeds, an earlier refusal was due to the event. */
  async isUp(at: number): Promise<boolean> {
    return (await this.publish([{ event: 'PROBE', detail: {}, at }])).length === 0;
  }

  #entryOf({ event, detail, at }: BusEntry): PutEventsRequestEntry {
    return {
      EventBusName: this.#name,
      Source: this.#source,
      DetailType: event,
      // Older rows may contain characters that SQS refuses.
      Detail: JSON.stringify(detail, replaceInvalidInJson),
      Time: new Date(at),
    };
  }

  async #put(piece: readonly NumberedEntry[]): Promise<RefusedEntry[]> {
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
