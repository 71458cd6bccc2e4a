/** Polls the table for new rows and delivers them to a function in batches, as Lambda does for a stream. */
import * as z from 'zod';
import { prepareAwsJsonRequest } from '#infra/local/host/aws-request.ts';
import type { Activity } from '#infra/local/lambda/activity.ts';
import type { FunctionOutput } from '#infra/local/lambda/function-runtime.ts';
import type { LocalFunction } from '#infra/local/lambda/lambda.ts';
import { REGION } from '#infra/local/template/physical-ids.ts';
import { parseFailedIds } from './batch-failures.ts';
import { pause, poll } from './poll.ts';
import type { TableStream } from './table-stream.ts';

/** After a write to the outbox. Lambda polls each shard of a stream four times a second (developer guide). */
const LOOK_MILLISECONDS = 250;
/** Poll interval while the service is idle. Polling does not stop, because an admin command may write rows. */
const IDLE_MILLISECONDS = 1000;
/** Delay before the first retry. It doubles with each further retry. */
const RETRY_MILLISECONDS = 500;
const LONGEST_RETRY_MILLISECONDS = 30_000;
const SEQUENCE_DIGITS = 21;

const Key = z.object({ S: z.string() });
const Row = z.looseObject({ pk: Key, sk: Key });
type Row = z.infer<typeof Row>;
const Rows = z.object({ Items: z.array(Row) });

/** Runs until `signal` aborts. Resolves when the running batches have ended. Never rejects. */
export async function bringNewRows(
  stream: TableStream,
  activity: Activity,
  signal: AbortSignal,
  output: FunctionOutput,
): Promise<void> {
  await Promise.all(stream.partitions.map((pk) => followPartition(stream, pk, activity, signal, output)));
}

function followPartition(
  { endpoint, tableName, streamArn, fn, batchSize, retryAttempts, maximumAgeSeconds }: TableStream,
  pk: string,
  activity: Activity,
  signal: AbortSignal,
  output: FunctionOutput,
): Promise<void> {
  const input = {
    TableName: tableName,
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': { S: pk } },
    ConsistentRead: true,
  };
  const read = prepareAwsJsonRequest({ service: 'dynamodb', endpoint, operation: 'Query', input });
  /** The sort keys of rows that were handled or skipped, and that still exist in the table. */
  let seenKeys: ReadonlySet<string> = new Set();
  /** Of the records that were delivered so far. */
  let lastNumber = 0;

  /** Delivers a batch. Retries the first failed row and all later rows, until the attempts or the time are used up. */
  const deliverBatch = async (batch: readonly Row[]): Promise<void> => {
    const until = performance.now() + maximumAgeSeconds * 1000;
    let rest: readonly StreamRecord[] = batch.map((row, index) =>
      toStreamRecord(row, lastNumber + 1 + index, streamArn),
    );
    lastNumber += batch.length;
    for (let retry = 0; rest.length > 0 && !signal.aborted; retry += 1) {
      if (retry > retryAttempts || performance.now() > until) break;
      if (retry > 0) await pause(Math.min(RETRY_MILLISECONDS * 2 ** (retry - 1), LONGEST_RETRY_MILLISECONDS), signal);
      rest = await deliverRecords(fn, rest, output);
    }
    if (signal.aborted) return;
    const [first] = rest;
    if (first)
      output.onFault(
        `${pk}: rows skipped after too many failures: ${rest.length}, from ${first.dynamodb.Keys.sk.S} on`,
      );
    seenKeys = new Set([...seenKeys, ...batch.map(({ sk }) => sk.S)]);
  };

  return poll(pk, signal, output, async () => {
    const { next } = activity;
    // Reads the first page of rows. Skipped rows stay on this page until a sweep removes them.
    const { status, body } = await read(signal);
    if (status !== 200) throw new Error(`Query returned ${status}: ${body}`);
    const rows = Rows.parse(JSON.parse(body)).Items;
    seenKeys = new Set(rows.map(({ sk }) => sk.S).filter((sk) => seenKeys.has(sk)));
    const newRows = rows.filter(({ sk }) => !seenKeys.has(sk.S));
    if (newRows.length > 0) return deliverBatch(newRows.slice(0, batchSize));
    await pause(LOOK_MILLISECONDS, signal);
    await Promise.race([next, pause(IDLE_MILLISECONDS - LOOK_MILLISECONDS, signal)]);
  });
}

/** Returns the records to retry. */
async function deliverRecords(
  fn: LocalFunction,
  Records: readonly StreamRecord[],
  { onFault }: FunctionOutput,
): Promise<readonly StreamRecord[]> {
  const result = await fn.invoke(JSON.stringify({ Records }));
  if (result.kind === 'failed') {
    onFault(result.report);
    return Records;
  }
  const numbers = Records.map(({ dynamodb }) => dynamodb.SequenceNumber);
  const failedNumbers = parseFailedIds(result.payload, numbers);
  const first = numbers.findIndex((number) => failedNumbers.has(number));
  return first === -1 ? [] : Records.slice(first);
}

type StreamRecord = ReturnType<typeof toStreamRecord>;

const toStreamRecord = (row: Row, sequence: number, eventSourceARN: string) => ({
  eventID: `${row.pk.S}-${sequence}`,
  eventName: 'INSERT',
  eventVersion: '1.1',
  eventSource: 'aws:dynamodb',
  awsRegion: REGION,
  dynamodb: {
    ApproximateCreationDateTime: Math.floor(Date.now() / 1000),
    Keys: { pk: row.pk, sk: row.sk },
    NewImage: row,
    SequenceNumber: String(sequence).padStart(SEQUENCE_DIGITS, '0'),
    SizeBytes: Buffer.byteLength(JSON.stringify(row)),
    StreamViewType: 'NEW_AND_OLD_IMAGES',
  },
  eventSourceARN,
});
