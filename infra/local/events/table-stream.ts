/**
 * The template's event sources for the table's stream. The local runner uses no stream, because with a stream the
 * embedded DynamoDB scans all stream records at each write. Instead, the runner polls the partitions that the filter of
 * the event source mapping names.
 */
import * as z from 'zod';
import type { LocalFunction } from '#infra/local/lambda/lambda.ts';
import type { Stack } from '#infra/local/template/stack.ts';
import { OUTBOX_PREFIX, OUTBOX_SHARDS } from '#shared/model/events/outbox.ts';
import { getFunction, readSupportedProperties } from './imitated.ts';

export interface TableStream {
  readonly endpoint: string;
  readonly tableName: string;
  readonly streamArn: string;
  readonly fn: LocalFunction;
  /** Rows of one partition are delivered in order. Partitions are read concurrently. */
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

/** Throws if an event source is not supported, and names it in the error. */
export function readTableStreams(
  stack: Stack,
  functions: ReadonlyMap<string, LocalFunction>,
  endpoint: string,
): TableStream[] {
  const tables = new Map(stack.resources('AWS::DynamoDB::Table').map((table) => [table.attribute('StreamArn'), table]));
  return stack.resources('AWS::Lambda::EventSourceMapping').flatMap((mapping) => {
    const table = tables.get(String(mapping.property('EventSourceArn')));
    if (!table) return [];
    const properties = readSupportedProperties('event source', mapping, Properties);
    const fn = getFunction(functions, mapping, properties.FunctionName);
    if (!properties.Enabled) return [];
    const [{ Pattern }] = properties.FilterCriteria.Filters;
    const filter = Filter.safeParse(JSON.parse(Pattern));
    if (filter.data?.dynamodb.Keys.pk.S[0].prefix !== OUTBOX_PREFIX)
      throw new Error(
        `The local runner supports only filters for new rows of the outbox, but ${mapping.logicalId} has the filter ${Pattern}`,
      );
    return {
      endpoint,
      tableName: table.reference,
      streamArn: properties.EventSourceArn,
      fn,
      partitions: Array.from({ length: OUTBOX_SHARDS }, (_, shard) => `${OUTBOX_PREFIX}${shard}`),
      batchSize: properties.BatchSize,
      retryAttempts: properties.MaximumRetryAttempts,
      maximumAgeSeconds: properties.MaximumRecordAgeInSeconds,
    };
  });
}
