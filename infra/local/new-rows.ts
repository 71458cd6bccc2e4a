/** Looks for new rows of the table and brings them to a function, batch by batch, in the manner of Lambda with a stream. */
import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod';
import type { Activity } from './activity.ts';
import { awsJsonRequest } from './aws-request.ts';
import { failedIdentifiers } from './batch-failures.ts';
import type { FunctionOutput } from './function-runtime.ts';
import { REGION } from './physical-ids.ts';
import type { TableStream } from './table-stream.ts';

/** Lambda developer guide: it polls each shard of a stream four times a second. So it is here, while functions are called. */
const LOOK_MILLISECONDS = 250;
/** Else: an admin command may have written. */
const IDLE_MILLISECONDS = 1000;
/** Before the first repetition; each further one waits twice as long. */
const RETRY_MILLISECONDS = 500;
const LONGEST_RETRY_MILLISECONDS = 30_000;
const SEQUENCE_DIGITS = 21;

const Key = z.object({ S: z.string() });
const Row = z.looseObject({ pk: Key, sk: Key });
type Row = z.infer<typeof Row>;
const Rows = z.object({ Items: z.array(Row) });

/** Until `signal` says stop; resolves when the batches that are under way have ended. Never rejects. */
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
  /** Sort keys of rows that were handled or given up, for as long as they are there. */
  #seen: ReadonlySet<string> = new Set();
  #sequence = 0;

  constructor(stream: TableStream, pk: string, output: FunctionOutput) {
    this.#stream = stream;
    this.#pk = pk;
    this.#output = output;
  }

  async follow(activity: Activity, signal: AbortSignal): Promise<void> {
    let isReadable = true;
    while (!signal.aborted) {
      const { next } = activity;
      try {
        const rows = await this.#rows(signal);
        isReadable = true;
        this.#seen = new Set(rows.map(({ sk }) => sk.S).filter((sk) => this.#seen.has(sk)));
        const fresh = rows.filter(({ sk }) => !this.#seen.has(sk.S));
        if (fresh.length > 0) await this.#bring(fresh.slice(0, this.#stream.batchSize), signal);
        else {
          await pause(LOOK_MILLISECONDS, signal);
          await Promise.race([next, pause(IDLE_MILLISECONDS - LOOK_MILLISECONDS, signal)]);
        }
      } catch (error) {
        if (signal.aborted) break;
        // Once, not each time for as long as it lasts.
        if (isReadable)
          this.#output.onFault(`${this.#pk} cannot be read: ${error instanceof Error ? error.message : error}`);
        isReadable = false;
        await pause(IDLE_MILLISECONDS, signal);
      }
    }
  }

  /** One page: what is given up stays in front, until a sweep takes it away. */
  async #rows(signal: AbortSignal): Promise<readonly Row[]> {
    const { endpoint, tableName } = this.#stream;
    const input = {
      TableName: tableName,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': { S: this.#pk } },
      ConsistentRead: true,
    };
    const answer = await awsJsonRequest({ service: 'dynamodb', endpoint, operation: 'Query', input, signal });
    if (answer.status !== 200) throw new Error(`Query was answered with ${answer.status}: ${answer.body}`);
    return Rows.parse(JSON.parse(answer.body)).Items;
  }

  /** What failed comes again, and what is behind it with it, until attempts or time are used up. */
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
      this.#output.onFault(`${this.#pk}: ${rest.length} rows were given up, from ${first.dynamodb.Keys.sk.S} on`);
    this.#seen = new Set([...this.#seen, ...batch.map(({ sk }) => sk.S)]);
  }

  /** Answers what is to come again. */
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

const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  wait(milliseconds, undefined, { signal }).catch(() => {});
