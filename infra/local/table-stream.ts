/**
 * The template's event sources that are the table's stream. The embedded engine has streams, but looks through all their
 * records at each write. So rows are looked for instead, in the partitions that the mapping's filter means.
 */
import * as z from 'zod';
import { OUTBOX_PREFIX, OUTBOX_SHARDS } from '#shared/resources/outbox.ts';
import type { LocalFunction } from './lambda.ts';
import { functionArn } from './physical-ids.ts';
import type { Resource, Stack } from './stack.ts';

export interface TableStream {
  readonly endpoint: string;
  readonly tableName: string;
  readonly streamArn: string;
  readonly fn: LocalFunction;
  /** What is read one after the other; side by side with the others. */
  readonly partitions: readonly string[];
  readonly batchSize: number;
  readonly retryAttempts: number;
  readonly maximumAgeSeconds: number;
}

const Filter = z.object({
  eventName: z.tuple([z.literal('INSERT')]),
  dynamodb: z.object({ Keys: z.object({ pk: z.object({ S: z.tuple([z.object({ prefix: z.string() })]) }) }) }),
});

const Properties = z.object({
  Enabled: z.boolean().default(true),
  EventSourceArn: z.string(),
  FunctionName: z.string(),
  BatchSize: z.int().min(1).max(1000).default(100),
  StartingPosition: z.enum(['TRIM_HORIZON', 'LATEST']),
  BisectBatchOnFunctionError: z.literal(false).default(false),
  FunctionResponseTypes: z.tuple([z.literal('ReportBatchItemFailures')]),
  MaximumRetryAttempts: z.int().min(0),
  MaximumRecordAgeInSeconds: z.int().min(60),
  FilterCriteria: z.strictObject({ Filters: z.tuple([z.strictObject({ Pattern: z.string() })]) }),
  MaximumBatchingWindowInSeconds: z.undefined(),
  ParallelizationFactor: z.undefined(),
});

/** The template's event sources that are the table's stream. Throws on one that is not imitated, naming it. */
export function readTableStreams(
  stack: Stack,
  functions: ReadonlyMap<string, LocalFunction>,
  endpoint: string,
): TableStream[] {
  const tables = new Map(stack.resources('AWS::DynamoDB::Table').map((table) => [table.attribute('StreamArn'), table]));
  return stack.resources('AWS::Lambda::EventSourceMapping').flatMap((mapping) => {
    const table = tables.get(String(mapping.property('EventSourceArn')));
    if (!table) return [];
    const properties = propertiesOf(mapping);
    const fn = functions.get(functionArn(properties.FunctionName));
    if (!fn) throw new Error(`${mapping.logicalId} leads to ${properties.FunctionName}, which no stack defines`);
    if (!properties.Enabled) return [];
    return {
      endpoint,
      tableName: table.reference,
      streamArn: properties.EventSourceArn,
      fn,
      partitions: partitionsOf(mapping, properties),
      batchSize: properties.BatchSize,
      retryAttempts: properties.MaximumRetryAttempts,
      maximumAgeSeconds: properties.MaximumRecordAgeInSeconds,
    };
  });
}

function propertiesOf(mapping: Resource): z.infer<typeof Properties> {
  const names = Object.keys(Properties.shape);
  const parsed = Properties.safeParse(Object.fromEntries(names.map((name) => [name, mapping.property(name)])));
  if (parsed.success) return parsed.data;
  throw new Error(
    `The local runner does not imitate the event source ${mapping.logicalId}: ${z.prettifyError(parsed.error)}`,
  );
}

/** Rows can only be looked for in partitions that are known. */
function partitionsOf(mapping: Resource, { FilterCriteria }: z.infer<typeof Properties>): string[] {
  const [{ Pattern }] = FilterCriteria.Filters;
  const filter = Filter.safeParse(JSON.parse(Pattern));
  const prefix = filter.data?.dynamodb.Keys.pk.S[0].prefix;
  if (prefix === OUTBOX_PREFIX) return Array.from({ length: OUTBOX_SHARDS }, (_, shard) => `${prefix}${shard}`);
  throw new Error(
    `The local runner brings new rows of the outbox to functions, and no others: ${mapping.logicalId} asks for ${Pattern}`,
  );
}
