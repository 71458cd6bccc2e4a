/** The template's event buses, and who gets what is put on them. */
import * as z from 'zod';
import type { Resource, Stack } from './stack.ts';

/** An event as EventBridge hands it on. */
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

/** Exact values of fields that are texts. Of a field that it does not name, an event may have any. */
const Pattern = z.strictObject({
  source: z.array(z.string()).optional(),
  'detail-type': z.array(z.string()).optional(),
  account: z.array(z.string()).optional(),
  region: z.array(z.string()).optional(),
});

/** The queue's policy is not checked, and the queue is there: nothing gets to the dead letters. */
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

const FIELDS = ['source', 'detail-type', 'account', 'region'] as const;

/** Names of the template's event buses. */
export const readBuses = (stack: Stack): ReadonlySet<string> =>
  new Set(stack.resources('AWS::Events::EventBus').map(({ reference }) => reference));

/** The template's rules that are enabled. Throws on one that is not imitated, naming it. */
export const readRules = (stack: Stack): EventRule[] =>
  stack
    .resources('AWS::Events::Rule')
    .map(propertiesOf)
    .filter(({ State }) => State === 'ENABLED')
    .map(({ EventBusName, EventPattern, Targets }) => ({
      busName: EventBusName,
      matches: (event) => FIELDS.every((field) => EventPattern[field]?.includes(event[field]) ?? true),
      queueArns: Targets.map(({ Arn }) => Arn),
    }));

function propertiesOf(rule: Resource): z.infer<typeof Properties> {
  const names = Object.keys(Properties.shape);
  const parsed = Properties.safeParse(Object.fromEntries(names.map((name) => [name, rule.property(name)])));
  if (parsed.success) return parsed.data;
  throw new Error(`The local runner does not imitate the rule ${rule.logicalId}: ${z.prettifyError(parsed.error)}`);
}
