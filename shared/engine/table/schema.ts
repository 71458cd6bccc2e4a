/** The schema of the single table, for infra and the local runner. */
export const TABLE = { partitionKey: 'pk', sortKey: 'sk', expiresAt: 'expiresAt' } as const;

/** Every access pattern uses a base-table key. An index would add a write unit per row and has no consistent reads. */
export const INDEXES: Readonly<Record<string, { partitionKey: string; sortKey: string }>> = {};
