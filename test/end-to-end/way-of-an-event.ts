/** §6 Moments on the way of an event at which the service can be killed, by what goes over the wire to its engines then. */
import { OUTBOX_PREFIX } from '#shared/resources/outbox.ts';

export const POINTS = [
  'beforeCommit',
  'afterCommit',
  'beforeBus',
  'beforeRemoval',
  'afterFanOut',
  'beforeRecord',
] as const;
export type Point = (typeof POINTS)[number];

/** A call of an engine: `TransactWriteItems` and what it says. */
export interface Call {
  readonly operation: string;
  readonly body: string;
}

interface Mark {
  readonly point: Point;
  /** Before the engine has the call, or when it has done it and nobody knows yet. */
  readonly when: 'before' | 'after';
  readonly operation: string;
  readonly holds: string;
}

const [OUTBOX, DELIVERY] = [`"${OUTBOX_PREFIX}`, '"DELIVERY#'];

/** `beforeBus` is no call of an engine: the event bus itself asks. */
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
