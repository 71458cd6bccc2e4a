/** The schema of the single table, shared with infra and the local runner. */
export const TABLE = {
  partitionKey: 'pk',
  sortKey: 'sk',
  /** TTL in epoch seconds. DynamoDB deletes the row afterwards, up to days later. */
  expiresAt: 'expiresAt',
  /** The end, in epoch seconds, of a row that other data depends on. Our code deletes both, not DynamoDB's TTL. */
  endsAt: 'endsAt',
} as const;

/**
 * The indexes of the table. There are none: every access pattern uses a key of the base table. An index would cost a
 * write unit per row and has no consistent reads.
 */
export const INDEXES: Readonly<Record<string, { partitionKey: string; sortKey: string }>> = {};
