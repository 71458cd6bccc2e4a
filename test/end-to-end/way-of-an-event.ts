/** §6 The points on an event's path at which the service can be killed, recognized by its engine calls. */
import { OUTBOX_PREFIX } from '#shared/model/events/outbox.ts';

export const POINTS = [
  'beforeCommit',
  'afterCommit',
  'beforeBus',
  'beforeRemoval',
  'afterFanOut',
  'beforeRecord',
] as const;
export type Point = (typeof POINTS)[number];

/** An engine call: `TransactWriteItems` and its content. */
export interface Call {
  readonly operation: string;
  readonly body: string;
}

interface Mark {
  readonly point: Point;
  /** The moment of the kill: before the engine receives the call, or after its execution and before the response. */
  readonly when: 'before' | 'after';
  readonly operation: string;
  readonly holds: string;
}

const OUTBOX = `"${OUTBOX_PREFIX}`;
const DELIVERY = '"DELIVERY#';

/** The event bus reports `beforeBus`, which is no engine call. */
const MARKS: readonly Mark[] = [
  { point: 'beforeCommit', when: 'before', operation: 'TransactWriteItems', holds: OUTBOX },
  { point: 'afterCommit', when: 'after', operation: 'TransactWriteItems', holds: OUTBOX },
  { point: 'beforeRemoval', when: 'before', operation: 'BatchWriteItem', holds: OUTBOX },
  { point: 'afterFanOut', when: 'after', operation: 'PutItem', holds: DELIVERY },
  { point: 'beforeRecord', when: 'before', operation: 'UpdateItem', holds: DELIVERY },
];

export const pointOf = (call: Call, when: Mark['when']): Point | undefined =>
  MARKS.find((mark) => mark.when === when && mark.operation === call.operation && call.body.includes(mark.holds))
    ?.point;
