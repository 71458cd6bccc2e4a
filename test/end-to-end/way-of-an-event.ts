/**
 * §6 The points in the processing of an event at which tests kill the service. Calls to the local AWS engines and to
 * the event bus mark these points.
 */
import { OUTBOX_PREFIX } from '#shared/model/events/outbox.ts';
import type { Call } from '#test/harness/engine-proxy.ts';

export const POINTS = [
  'beforeCommit',
  'afterCommit',
  'beforeBus',
  'beforeRemoval',
  'afterFanOut',
  'beforeRecord',
] as const;
export type Point = (typeof POINTS)[number];

interface Mark {
  readonly point: Point;
  /**
   * When the kill happens: before the engine receives the call, or after the engine has executed the call and before
   * the client gets the response.
   */
  readonly when: 'before' | 'after';
  readonly operation: string;
  readonly holds: string;
}

const OUTBOX = `"${OUTBOX_PREFIX}`;
const DELIVERY = '"DELIVERY#';

/** The point `beforeBus` is missing here, because the event bus itself reports it. */
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
