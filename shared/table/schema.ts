/** The single table as infra builds it and the local runner creates it. */
export const TABLE = { partitionKey: 'pk', sortKey: 'sk', expiresAt: 'expiresAt' } as const;

/** Every access path of the product is a base-table key: an index would add a write unit to each row and could not be read consistently. */
export const INDEXES: Readonly<Record<string, { partitionKey: string; sortKey: string }>> = {};
