/**
 * Reads the whole table with a scan. Only operators may do this: no role of a function allows it. Queries would not do,
 * because an organization may have more partitions than a scan has pages, and some of its rows are in no list.
 */
import { setTimeout as wait } from 'node:timers/promises';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import type { Attributes } from '#shared/engine/table/entity.ts';
import type { TableKey } from '#shared/engine/table/keys.ts';
import { makeDocumentClient } from '#shared/engine/table/table.ts';
import { getRowKey } from '#shared/engine/table/writes.ts';

export type Row = Attributes & TableKey;

export class TableScan {
  readonly #client = makeDocumentClient();
  readonly #name: string;
  readonly #pace: Pace;
  readonly #pageRows: number | undefined;

  /** `pace` limits the read units per second, and `pageRows` the rows of a page. */
  constructor(name: string, pace: Pace, pageRows?: number) {
    this.#name = name;
    this.#pace = pace;
    this.#pageRows = pageRows;
  }

  /** Pages have at most 1 MB. The next page begins after `lastRead`, which is `undefined` on the last page. */
  async *pages(after?: TableKey): AsyncGenerator<{ readonly rows: Row[]; readonly lastRead: TableKey | undefined }> {
    let start = after;
    do {
      const scan = new ScanCommand({
        TableName: this.#name,
        ExclusiveStartKey: start,
        Limit: this.#pageRows,
        ReturnConsumedCapacity: 'TOTAL',
      });
      const { Items = [], LastEvaluatedKey, ConsumedCapacity } = await this.#client.send(scan);
      start = LastEvaluatedKey && getRowKey(LastEvaluatedKey);
      yield { rows: Items.map((row) => ({ ...row, ...getRowKey(row) })), lastRead: start };
      await this.#pace.spend(ConsumedCapacity?.CapacityUnits ?? 0);
    } while (start);
  }
}

/** Limits how many capacity units are used per second, on average. */
export class Pace {
  readonly #perSecond: number;
  #freeAt = performance.now();

  constructor(perSecond: number) {
    this.#perSecond = perSecond;
  }

  /** Counts units that were used, and waits until the pace allows more. */
  async spend(units: number): Promise<void> {
    this.#freeAt = Math.max(this.#freeAt, performance.now()) + (units / this.#perSecond) * 1000;
    const milliseconds = this.#freeAt - performance.now();
    // Timers are not exact, so short waits are added up.
    if (milliseconds > SHORTEST_WAIT) await wait(milliseconds);
  }
}

const SHORTEST_WAIT = 20;
