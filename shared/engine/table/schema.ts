/** The schema of the single table, for infra and the local runner. */
export const TABLE = {
  partitionKey: 'pk',
  sortKey: 'sk',
  /** The end of a row in seconds. DynamoDB's TTL deletes the row, up to days later. */
  expiresAt: 'expiresAt',
  /** The end in seconds of a row that leads to other data. A rule deletes both. */
  endsAt: 'endsAt',
} as const;

/** Every access pattern uses a base-table key. An index would add a write unit per row and has no consistent reads. */
export const INDEXES: Readonly<Record<string, { partitionKey: string; sortKey: string }>> = {};
