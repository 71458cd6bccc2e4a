/**
 * The schema of the single table, shared with infra and the local runner. There are no secondary indexes, because every
 * access pattern uses the key of the table itself. An index would cost an extra write unit per row and does not support
 * consistent reads.
 */
export const TABLE = {
  partitionKey: 'pk',
  sortKey: 'sk',
  /** In epoch seconds (TTL). DynamoDB deletes the row after that time, but up to a few days late. */
  expiresAt: 'expiresAt',
  /** In epoch seconds, for rows that other data depends on. Our code deletes both, DynamoDB's TTL does not. */
  endsAt: 'endsAt',
} as const;
