/** The template's event buses, and the targets of their events. */
import * as z from 'zod';
import type { Stack } from '#infra/local/template/stack.ts';
import { readSupportedProperties } from './imitated.ts';

/** An event as EventBridge delivers it. */
export interface BusEvent {
  readonly version: '0';
  readonly id: string;
  readonly 'detail-type': string;
  readonly source: string;
  readonly account: string;
  readonly time: string;
  readonly region: string;
  readonly resources: readonly string[];
  readonly detail: unknown;
}

export interface EventRule {
  readonly busName: string;
  readonly matches: (event: BusEvent) => boolean;
  readonly queueArns: readonly string[];
}

/** The supported part of an event pattern. Matches exact values. A field without a pattern may have any value. */
const Pattern = z.strictObject({
  source: z.array(z.string()).optional(),
  'detail-type': z.array(z.string()).optional(),
});

/** The dead-letter queue is never used locally: the target queue always exists, and its policy is not checked. */
const Target = z.strictObject({
  Id: z.string(),
  Arn: z.string().startsWith('arn:aws:sqs:'),
  DeadLetterConfig: z.unknown().optional(),
  RetryPolicy: z.unknown().optional(),
});

const Properties = z.object({
  EventBusName: z.string(),
  EventPattern: Pattern,
  State: z.enum(['ENABLED', 'DISABLED']).default('ENABLED'),
  Targets: z.array(Target).default([]),
  ScheduleExpression: z.undefined(),
});

const FIELDS = ['source', 'detail-type'] as const;

export const readBuses = (stack: Stack): ReadonlySet<string> =>
  new Set(stack.resources('AWS::Events::EventBus').map(({ reference }) => reference));

/** The enabled rules of the template. Throws if a rule is not supported, and names the rule in the error. */
export const readRules = (stack: Stack): EventRule[] =>
  stack
    .resources('AWS::Events::Rule')
    .map((rule) => readSupportedProperties('rule', rule, Properties))
    .filter(({ State }) => State === 'ENABLED')
    .map(({ EventBusName, EventPattern, Targets }) => ({
      busName: EventBusName,
      matches: (event) => FIELDS.every((field) => EventPattern[field]?.includes(event[field]) ?? true),
      queueArns: Targets.map(({ Arn }) => Arn),
    }));
