/** EventBridge on loopback. An event is acknowledged after every target queue has accepted it. */
import { randomUUID } from 'node:crypto';
import * as z from 'zod';
import { sendToQueue } from '#infra/local/host/aws-request.ts';
import { type Engine, type JsonAnswer, serveJsonEngine } from '#infra/local/stores/engine.ts';
import { ACCOUNT, REGION } from '#infra/local/template/physical-ids.ts';
import type { BusEvent, EventRule } from './event-rules.ts';

/** EventBridge user guide, "PutEvents": maximum entries per call, and maximum total size. */
const MAX_ENTRIES = 10;
const MAX_BYTES = 256 * 1024;

const Entry = z.object({
  EventBusName: z.string(),
  Source: z.string().min(1),
  DetailType: z.string().min(1),
  Detail: z.string(),
  /** The time of the event, in epoch seconds. */
  Time: z.number(),
});
type Entry = z.infer<typeof Entry>;

const PutEvents = z.object({ Entries: z.array(Entry).min(1).max(MAX_ENTRIES) });

/** Fault injection for tests: refuses one entry, or makes the whole call fail. */
export type BusTrouble = (entry: Pick<Entry, 'DetailType' | 'Detail'>) => 'entryRefused' | 'callFails' | undefined;

export interface EventBusOptions {
  readonly buses: ReadonlySet<string>;
  readonly rules: readonly EventRule[];
  readonly sqsEndpoint: string;
  readonly trouble?: BusTrouble | undefined;
}

type EntryResult = { readonly EventId: string } | { readonly ErrorCode: string; readonly ErrorMessage: string };

export const startEventBus = (options: EventBusOptions): Promise<Engine> =>
  serveJsonEngine(
    (target, body) => answerCall(target, body, options),
    (error) => [500, { __type: 'InternalException', message: String(error) }],
  );

async function answerCall(target: string, body: string, options: EventBusOptions): Promise<JsonAnswer> {
  if (target !== 'AWSEvents.PutEvents')
    return makeRefusal(`${target} is not supported: the local event bus supports only AWSEvents.PutEvents`);
  const request = PutEvents.safeParse(JSON.parse(body));
  if (!request.success) return makeRefusal(z.prettifyError(request.error));
  const { Entries } = request.data;
  if (Buffer.byteLength(body) > MAX_BYTES) return makeRefusal(`The request is larger than ${MAX_BYTES} bytes`);
  if (Entries.some((entry) => options.trouble?.(entry) === 'callFails')) return [500, { __type: 'InternalException' }];
  const results: EntryResult[] = [];
  for (const entry of Entries) results.push(await deliverEntry(entry, options));
  const FailedEntryCount = results.filter((one) => 'ErrorCode' in one).length;
  return [200, { FailedEntryCount, Entries: results }];
}

const makeRefusal = (message: string): JsonAnswer => [400, { __type: 'ValidationException', message }];

async function deliverEntry(
  entry: Entry,
  { buses, rules, sqsEndpoint, trouble }: EventBusOptions,
): Promise<EntryResult> {
  const { EventBusName } = entry;
  if (trouble?.(entry) === 'entryRefused') return { ErrorCode: 'ThrottlingException', ErrorMessage: 'Rate exceeded' };
  if (!buses.has(EventBusName)) {
    return { ErrorCode: 'ResourceNotFoundException', ErrorMessage: `The template has no event bus ${EventBusName}` };
  }
  try {
    const event = toBusEvent(entry);
    const matchingRules = rules.filter((rule) => rule.busName === EventBusName && rule.matches(event));
    for (const arn of matchingRules.flatMap(({ queueArns }) => queueArns))
      await sendToQueue(sqsEndpoint, arn, event, 'an event');
    return { EventId: event.id };
  } catch (error) {
    return { ErrorCode: 'InternalFailure', ErrorMessage: String(error) };
  }
}

const toBusEvent = ({ Source, DetailType, Detail, Time }: Entry): BusEvent => ({
  version: '0',
  id: randomUUID(),
  'detail-type': DetailType,
  source: Source,
  account: ACCOUNT,
  time: `${new Date(Time * 1000).toISOString().slice(0, -'.000Z'.length)}Z`,
  region: REGION,
  resources: [],
  detail: JSON.parse(Detail),
});
