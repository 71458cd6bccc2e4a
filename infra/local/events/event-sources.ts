/** Delivers queue messages to functions, as Lambda does for the template's event source mappings. */
import * as z from 'zod';
import { sendAwsJsonRequest } from '#infra/local/host/aws-request.ts';
import type { FunctionOutput } from '#infra/local/lambda/function-runtime.ts';
import type { LocalFunction } from '#infra/local/lambda/lambda.ts';
import { formatQueueUrl, REGION } from '#infra/local/template/physical-ids.ts';
import type { Stack } from '#infra/local/template/stack.ts';
import { parseFailedIds } from './batch-failures.ts';
import { getFunction, readSupportedProperties } from './imitated.ts';
import { poll } from './poll.ts';

export interface EventSource {
  readonly endpoint: string;
  readonly queueArn: string;
  readonly fn: LocalFunction;
  readonly batchSize: number;
  readonly maximumConcurrency: number;
  /** Whether the function reports failed messages individually (ReportBatchItemFailures). */
  readonly partialFailures: boolean;
}

const Properties = z.object({
  Enabled: z.boolean().default(true),
  EventSourceArn: z.string().startsWith('arn:aws:sqs:'),
  FunctionName: z.string(),
  BatchSize: z.int().min(1).max(10).default(10),
  ScalingConfig: z.strictObject({ MaximumConcurrency: z.int().min(2) }).default({ MaximumConcurrency: 2 }),
  FunctionResponseTypes: z.array(z.literal('ReportBatchItemFailures')).default([]),
  FilterCriteria: z.undefined(),
  MaximumBatchingWindowInSeconds: z.undefined(),
});

/** Without table streams. Throws if an event source is not supported, and names it in the error. */
export function readEventSources(
  stack: Stack,
  functions: ReadonlyMap<string, LocalFunction>,
  endpoint: string,
): EventSource[] {
  const streams = new Set(stack.resources('AWS::DynamoDB::Table').map((table) => table.attribute('StreamArn')));
  return stack
    .resources('AWS::Lambda::EventSourceMapping')
    .filter((mapping) => !streams.has(String(mapping.property('EventSourceArn'))))
    .map((mapping) => ({ mapping, properties: readSupportedProperties('event source', mapping, Properties) }))
    .filter(({ properties }) => properties.Enabled)
    .map(({ mapping, properties }) => ({
      endpoint,
      queueArn: properties.EventSourceArn,
      fn: getFunction(functions, mapping, properties.FunctionName),
      batchSize: properties.BatchSize,
      maximumConcurrency: properties.ScalingConfig.MaximumConcurrency,
      partialFailures: properties.FunctionResponseTypes.length > 0,
    }));
}

const WAIT_SECONDS = 5;

/** Polls until `signal` aborts. Resolves when the running batches have ended. Never rejects. */
export async function pollEventSource(source: EventSource, signal: AbortSignal, output: FunctionOutput): Promise<void> {
  const runningBatches = new Set<Promise<void>>();
  await poll(source.queueArn, signal, output, async () => {
    if (runningBatches.size >= source.maximumConcurrency) await Promise.race(runningBatches);
    const input = { MaxNumberOfMessages: source.batchSize, WaitTimeSeconds: WAIT_SECONDS, AttributeNames: ['All'] };
    const messages = Received.parse(await callSqs(source, 'ReceiveMessage', input, signal)).Messages ?? [];
    if (messages.length === 0) return;
    const batch = deliverBatch(source, messages, output).finally(() => runningBatches.delete(batch));
    runningBatches.add(batch);
  });
  await Promise.all(runningBatches);
}

const Message = z.object({
  MessageId: z.string(),
  ReceiptHandle: z.string(),
  Body: z.string(),
  MD5OfBody: z.string(),
  Attributes: z.record(z.string(), z.string()).default({}),
});
type Message = z.infer<typeof Message>;

const Received = z.object({ Messages: z.array(Message).nullish() });

/**
 * Calls the function, and deletes the messages that it has handled. Others become visible again after their timeout, as
 * often as the redrive policy allows.
 */
async function deliverBatch(source: EventSource, messages: readonly Message[], output: FunctionOutput): Promise<void> {
  const result = await source.fn.invoke(
    JSON.stringify({ Records: messages.map((message) => toSqsRecord(message, source)) }),
  );
  if (result.kind === 'failed') return output.onFault(result.report);
  const ids = messages.map(({ MessageId }) => MessageId);
  const failedIds = source.partialFailures ? parseFailedIds(result.payload, ids) : new Set();
  const handledMessages = messages.filter(({ MessageId }) => !failedIds.has(MessageId));
  if (handledMessages.length === 0) return;
  try {
    const Entries = handledMessages.map(({ MessageId, ReceiptHandle }) => ({ Id: MessageId, ReceiptHandle }));
    await callSqs(source, 'DeleteMessageBatch', { Entries });
  } catch (error) {
    output.onFault(
      `Processed messages of ${source.queueArn} could not be deleted: ${error instanceof Error ? error.message : error}`,
    );
  }
}

const toSqsRecord = (
  { MessageId, ReceiptHandle, Body, MD5OfBody, Attributes }: Message,
  { queueArn }: EventSource,
) => ({
  messageId: MessageId,
  receiptHandle: ReceiptHandle,
  body: Body,
  attributes: Attributes,
  messageAttributes: {},
  md5OfBody: MD5OfBody,
  eventSource: 'aws:sqs',
  eventSourceARN: queueArn,
  awsRegion: REGION,
});

async function callSqs(source: EventSource, operation: string, input: object, signal?: AbortSignal): Promise<unknown> {
  const { endpoint, queueArn } = source;
  const QueueUrl = formatQueueUrl(endpoint, queueArn);
  const call = { service: 'sqs', endpoint, operation, input: { QueueUrl, ...input } } as const;
  const { status, body } = await sendAwsJsonRequest({ ...call, ...(signal && { signal }) });
  if (status !== 200) throw new Error(`${operation} returned ${status}: ${body}`);
  return JSON.parse(body);
}
