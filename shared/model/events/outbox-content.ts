/** The content of an outbox row, and its stored form. */
import type { Correlation } from '#shared/engine/correlation.ts';
import { pack, unpack } from '#shared/engine/table/packed.ts';
import type { DomainEvent, EventCommit, GroupEvent, RunDeleted, RunEnded, RunStarted } from './domain-event.ts';

/** A job is ignored unless `attempt`, counted from 0, is the next attempt of its delivery. */
export interface DeliveryJob extends Correlation {
  readonly organizationId: string;
  readonly hookId: string;
  readonly deliveryId: string;
  readonly attempt: number;
  /** The number of times that the job returned to the queue because of a concurrency limit. */
  readonly rounds?: number;
}

interface EventsContent {
  readonly kind: 'events';
  readonly events: readonly DomainEvent[];
}

export type OutboxContent =
  | EventsContent
  | { readonly kind: 'delivery' | 'notification'; readonly job: DeliveryJob }
  /** A row that could not be unpacked, with the bytes that are stored in it. */
  | { readonly kind: 'unreadable'; readonly packed: Uint8Array };

export interface PackedContent {
  readonly packed: Uint8Array;
}

export function packContent(content: OutboxContent): Uint8Array {
  if (content.kind === 'unreadable') return content.packed;
  return pack(content.kind === 'events' ? extractCommits(content) : content);
}

/** Unpacks a row. Never throws, so that an unreadable row does not block the other rows of its page. */
export function unpackContent(bytes: Uint8Array): OutboxContent {
  try {
    const content = unpack<StoredEvents | JobContent>(bytes);
    return content.kind === 'domain' ? restoreCommits(content) : content;
  } catch {
    return { kind: 'unreadable', packed: bytes };
  }
}

type JobContent = Extract<OutboxContent, { readonly job: DeliveryJob }>;

/** The commit of a run is stored only once, because it is by far the longest part of the events. */
interface StoredEvents {
  readonly kind: 'domain';
  readonly commits: readonly EventCommit[];
  readonly events: readonly (RunDeleted | WithIndex<RunStarted> | WithIndex<RunEnded>)[];
}
type WithIndex<Event extends GroupEvent> = Omit<Event, 'commit'> & { readonly commit: number };

function extractCommits({ events }: EventsContent): StoredEvents {
  const commits = new Map<string, EventCommit>();
  const indexOf = (commit: EventCommit): number => {
    const text = JSON.stringify(commit);
    commits.set(text, commit);
    return [...commits.keys()].indexOf(text);
  };
  const storedEvents = events.map((event) =>
    event.type === 'RunDeleted' ? event : { ...event, commit: indexOf(event.commit) },
  );
  return { kind: 'domain', commits: [...commits.values()], events: storedEvents };
}

const restoreCommits = ({ commits, events }: StoredEvents): EventsContent => ({
  kind: 'events',
  events: events.flatMap((event): DomainEvent[] => {
    if (event.type === 'RunDeleted') return [event];
    const commit = commits[event.commit];
    return commit ? [{ ...event, commit }] : [];
  }),
});
