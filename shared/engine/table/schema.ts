/**
 * The schema of the single table, shared with infra and the local runner. There are no secondary indexes, because every
 * access pattern uses the key of the table itself. An index would cost an extra write unit per row and does not support
 * consistent reads.
 */
export const TABLE = {
  partitionKey: 'pk',
  sortKey: 'sk',
  /**
   * The expiry of a row in epoch seconds (TTL). DynamoDB deletes the row after that time, but up to a few days late.
   */
  expiresAt: 'expiresAt',
  /**
   * The end, in epoch seconds, of a row that other data depends on. Our code deletes the row and that data. DynamoDB's
   * TTL does not.
   */
  endsAt: 'endsAt',
} as const;
