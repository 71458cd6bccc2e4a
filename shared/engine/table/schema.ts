/** The schema of the single table, for infra and the local runner. */
export const TABLE = {
  partitionKey: 'pk',
  sortKey: 'sk',
  /** Seconds. DynamoDB's TTL deletes the row, up to days later. */
  expiresAt: 'expiresAt',
  /** Seconds. For rows that lead to other data: a rule deletes both. */
  endsAt: 'endsAt',
} as const;

/** Every access pattern uses a base-table key. An index would add a write unit per row and has no consistent reads. */
export const INDEXES: Readonly<Record<string, { partitionKey: string; sortKey: string }>> = {};
