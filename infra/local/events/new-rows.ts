/** Polls the table for new rows and delivers them to a function in batches, as Lambda does for a stream. */
import * as z from 'zod';
import { type AwsAnswer, repeatedAwsJsonRequest } from '#infra/local/host/aws-request.ts';
import type { Activity } from '#infra/local/lambda/activity.ts';
import type { FunctionOutput } from '#infra/local/lambda/function-runtime.ts';
import { REGION } from '#infra/local/template/physical-ids.ts';
import { failedIdentifiers } from './batch-failures.ts';
import { pause, poll } from './poll.ts';
import type { TableStream } from './table-stream.ts';

/**
 * Poll interval while functions are invoked. Lambda polls each shard of a stream four times a second (developer guide).
 */
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

/**
 * Delivers new rows to the function of the stream. Runs until `signal` aborts. Resolves when the running batches have
 * ended. Never rejects.
 */
export async function bringNewRows(
  stream: TableStream,
  activity: Activity,
  signal: AbortSignal,
  output: FunctionOutput,
): Promise<void> {
  await Promise.all(stream.partitions.map((pk) => new Partition(stream, pk, output).follow(activity, signal)));
}

class Partition {
  readonly #stream: TableStream;
  readonly #pk: string;
  readonly #output: FunctionOutput;
  readonly #read: (signal: AbortSignal) => Promise<AwsAnswer>;
  /** The sort keys of rows that were handled or skipped, and that still exist in the table. */
  #seen: ReadonlySet<string> = new Set();
  #sequence = 0;

  constructor(stream: TableStream, pk: string, output: FunctionOutput) {
    this.#stream = stream;
    this.#pk = pk;
    this.#output = output;
    const { endpoint, tableName } = stream;
    const input = {
      TableName: tableName,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': { S: pk } },
      ConsistentRead: true,
    };
    this.#read = repeatedAwsJsonRequest({ service: 'dynamodb', endpoint, operation: 'Query', input });
  }

  follow(activity: Activity, signal: AbortSignal): Promise<void> {
    return poll(this.#pk, signal, this.#output, async () => {
      const { next } = activity;
      const rows = await this.#rows(signal);
      this.#seen = new Set(rows.map(({ sk }) => sk.S).filter((sk) => this.#seen.has(sk)));
      const fresh = rows.filter(({ sk }) => !this.#seen.has(sk.S));
      if (fresh.length > 0) return this.#bring(fresh.slice(0, this.#stream.batchSize), signal);
      await pause(LOOK_MILLISECONDS, signal);
      await Promise.race([next, pause(IDLE_MILLISECONDS - LOOK_MILLISECONDS, signal)]);
    });
  }

  /** Reads the first page of rows. Skipped rows stay on this page until a sweep removes them. */
  async #rows(signal: AbortSignal): Promise<readonly Row[]> {
    const answer = await this.#read(signal);
    if (answer.status !== 200) throw new Error(`Query returned ${answer.status}: ${answer.body}`);
    return Rows.parse(JSON.parse(answer.body)).Items;
  }

  /** Delivers a batch. Retries the first failed row and all later rows, until the attempts or the time are used up. */
  async #bring(batch: readonly Row[], signal: AbortSignal): Promise<void> {
    const { retryAttempts, maximumAgeSeconds, streamArn } = this.#stream;
    const until = performance.now() + maximumAgeSeconds * 1000;
    let rest: readonly StreamRecord[] = batch.map((row) => recordOf(row, ++this.#sequence, streamArn));
    for (let retry = 0; rest.length > 0 && !signal.aborted; retry += 1) {
      if (retry > retryAttempts || performance.now() > until) break;
      if (retry > 0) await pause(Math.min(RETRY_MILLISECONDS * 2 ** (retry - 1), LONGEST_RETRY_MILLISECONDS), signal);
      rest = await this.#attempt(rest);
    }
    if (signal.aborted) return;
    const [first] = rest;
    if (first)
      this.#output.onFault(
        `${this.#pk}: rows skipped after too many failures: ${rest.length}, from ${first.dynamodb.Keys.sk.S} on`,
      );
    this.#seen = new Set([...this.#seen, ...batch.map(({ sk }) => sk.S)]);
  }

  /** Invokes the function with the records. Returns the records to retry. */
  async #attempt(Records: readonly StreamRecord[]): Promise<readonly StreamRecord[]> {
    const result = await this.#stream.fn.invoke(JSON.stringify({ Records }));
    if (result.kind === 'failed') {
      this.#output.onFault(result.report);
      return Records;
    }
    const numbers = Records.map(({ dynamodb }) => dynamodb.SequenceNumber);
    const failed = failedIdentifiers(result.payload, numbers);
    const first = numbers.findIndex((number) => failed.has(number));
    return first === -1 ? [] : Records.slice(first);
  }
}

type StreamRecord = ReturnType<typeof recordOf>;

const recordOf = (row: Row, sequence: number, eventSourceARN: string) => ({
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
