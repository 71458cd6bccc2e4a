/** Writes rows as a Parquet file, one row group at a time. */
import { zstdCompressSync } from 'node:zlib';
import { ByteWriter, type ColumnSource, ParquetWriter } from 'hyparquet-writer';
import { COLUMNS, type Column, type ExportedRow } from './columns.ts';
import { EXPORT_LIMITS } from './limits.ts';

type SchemaElement = ConstructorParameters<typeof ParquetWriter>[0]['schema'][number];

/** Receives the next bytes of a file. Resolves when it can take more. */
export type WriteBytes = (bytes: Uint8Array) => Promise<void>;

/** Hands over the bytes of each row group, and then forgets them. */
class Pieces extends ByteWriter {
  readonly #write: WriteBytes;

  constructor(write: WriteBytes) {
    super();
    this.#write = write;
  }

  async flush(): Promise<void> {
    const bytes = this.getBytes().slice();
    this.index = 0;
    await this.#write(bytes);
  }

  override finish(): Promise<void> {
    return this.flush();
  }
}

/** A file that is being written. A file without rows has no bytes. */
export class ParquetFile {
  readonly #write: WriteBytes;
  #writer: ParquetWriter | undefined;
  #group = new RowGroup();
  #rows = 0;

  constructor(write: WriteBytes) {
    this.#write = write;
  }

  get rows(): number {
    return this.#rows;
  }

  async add(row: ExportedRow): Promise<void> {
    this.#group.add(row);
    this.#rows += 1;
    if (this.#group.isFull) await this.#endGroup();
  }

  async end(): Promise<void> {
    await this.#endGroup();
    await this.#writer?.finish();
  }

  async #endGroup(): Promise<void> {
    const group = this.#group;
    if (group.rows === 0) return;
    this.#group = new RowGroup();
    this.#writer ??= new ParquetWriter({
      writer: new Pieces(this.#write),
      schema: SCHEMA,
      codec: 'ZSTD',
      compressors: { ZSTD: zstdCompressSync },
      createdBy: 'Rundown',
    });
    await this.#writer.write({ columnData: group.columns(), rowGroupSize: group.rows });
  }
}

/** The rows of one row group, stored by column. */
class RowGroup {
  readonly #values = COLUMNS.map((): unknown[] => []);
  #characters = 0;
  rows = 0;

  add(row: ExportedRow): void {
    for (const [place, column] of COLUMNS.entries()) {
      const { value, characters } = toStoredValue(column, row);
      this.#values[place]?.push(value);
      this.#characters += characters;
    }
    this.rows += 1;
  }

  get isFull(): boolean {
    return this.rows >= EXPORT_LIMITS.rowsPerGroup || this.#characters >= EXPORT_LIMITS.charactersPerGroup;
  }

  columns(): ColumnSource[] {
    return COLUMNS.map(({ name, kind }, place) => ({
      name,
      data: this.#values[place] ?? [],
      // Older readers do not know RLE, in which the library encodes flags by default.
      ...(kind === 'flag' ? { encoding: 'PLAIN' } : {}),
    }));
  }
}

/** The value in the form that the library expects for the type of the column, and the length of its text. */
function toStoredValue(column: Column, row: ExportedRow): { readonly value: unknown; readonly characters: number } {
  switch (column.kind) {
    case 'text': {
      const value = column.of(row);
      return { value, characters: value?.length ?? 0 };
    }
    case 'texts': {
      const value = column.of(row);
      return { value, characters: value.reduce((sum, { length }) => sum + length, 0) };
    }
    case 'integer':
    case 'time': {
      const value = column.of(row);
      return { value: value === null ? null : BigInt(Math.trunc(value)), characters: 0 };
    }
    case 'flag':
      return { value: column.of(row), characters: 0 };
  }
}

const TEXT = { type: 'BYTE_ARRAY', converted_type: 'UTF8' } as const;

function toSchemaElements({ name, kind, required }: Column): SchemaElement[] {
  const element = { name, repetition_type: required ? 'REQUIRED' : 'OPTIONAL' } as const;
  switch (kind) {
    case 'text':
      return [{ ...element, ...TEXT }];
    case 'integer':
      return [{ ...element, type: 'INT64' }];
    case 'time':
      return [{ ...element, type: 'INT64', converted_type: 'TIMESTAMP_MILLIS' }];
    case 'flag':
      return [{ ...element, type: 'BOOLEAN' }];
    case 'texts':
      return [
        { ...element, converted_type: 'LIST', num_children: 1 },
        { name: 'list', repetition_type: 'REPEATED', num_children: 1 },
        { name: 'element', repetition_type: 'REQUIRED', ...TEXT },
      ];
  }
}

const SCHEMA: SchemaElement[] = [
  { name: 'executions', num_children: COLUMNS.length },
  ...COLUMNS.flatMap(toSchemaElements),
];
