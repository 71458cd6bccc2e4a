/**
 * Stores grants, codes, refresh tokens and sessions under hashes of their ids. So a reader of the file cannot use them.
 * The models check expiry themselves.
 */
import { createHash } from 'node:crypto';
import { chmodSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { type Adapter, type AdapterFactory, type AdapterPayload, errors } from 'oidc-provider';
import { damageOf } from '#infra/local/host/damaged-file.ts';

export interface Store {
  readonly adapter: AdapterFactory;
  close(): void;
}

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS items (
    id TEXT PRIMARY KEY, payload TEXT NOT NULL, uid TEXT, grant_id TEXT, consumed_at INTEGER, expires_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX IF NOT EXISTS items_by_grant ON items (grant_id);
  CREATE INDEX IF NOT EXISTS items_by_uid ON items (uid);
  CREATE INDEX IF NOT EXISTS items_by_expiry ON items (expires_at)`;

/** Without a file the store is in memory. */
export function openStore(file = ':memory:'): Store {
  const database = new DatabaseSync(file);
  if (file !== ':memory:') chmodSync(file, 0o600);
  try {
    database.exec(SCHEMA);
  } catch (error) {
    database.close();
    throw damageOf(file, error, 'Delete it and start again: sign-ins of the OAuth issuer end, everything else stays.');
  }
  return { adapter: (model) => adapterOf(database, model), close: () => database.close() };
}

const seconds = (): number => Math.floor(Date.now() / 1000);
const hashed = (model: string, id: string): string => createHash('sha256').update(`${model}:${id}`).digest('base64url');

function adapterOf(database: DatabaseSync, model: string): Adapter {
  const put = database.prepare('INSERT OR REPLACE INTO items VALUES (?, ?, ?, ?, NULL, ?)');
  const purge = database.prepare('DELETE FROM items WHERE expires_at < ?');
  const byId = database.prepare('SELECT payload, consumed_at FROM items WHERE id = ?');
  const byUid = database.prepare('SELECT payload FROM items WHERE uid = ?');
  const use = database.prepare(
    'UPDATE items SET consumed_at = ? WHERE id = ? AND consumed_at IS NULL RETURNING grant_id',
  );
  const grantOf = database.prepare('SELECT grant_id FROM items WHERE id = ?');
  const remove = database.prepare('DELETE FROM items WHERE id = ?');
  const removeFamily = database.prepare('DELETE FROM items WHERE grant_id = ?');
  return {
    async upsert(id, { jti: _, ...payload }, expiresInSeconds = 0) {
      purge.run(seconds());
      const { uid = null, grantId = null } = payload;
      put.run(hashed(model, id), JSON.stringify(payload), uid, grantId, seconds() + expiresInSeconds);
    },
    find: async (id) => payloadOf(byId.get(hashed(model, id)), id),
    findByUid: async (uid) => payloadOf(byUid.get(uid)),
    // Only the device flow has codes that people type.
    findByUserCode: async () => undefined,
    /** One use succeeds. Any other use revokes the token family, even a concurrent one. */
    async consume(id) {
      const key = hashed(model, id);
      if (use.get(seconds(), key)) return;
      const grantId = grantOf.get(key)?.['grant_id'];
      if (typeof grantId === 'string') {
        removeFamily.run(grantId);
        remove.run(hashed('Grant', grantId));
      }
      throw new errors.InvalidGrant('used at the same time by another request');
    },
    destroy: async (id) => void remove.run(hashed(model, id)),
    revokeByGrantId: async (grantId) => void removeFamily.run(grantId),
  };
}

function payloadOf(row: Record<string, unknown> | undefined, jti?: string): AdapterPayload | undefined {
  if (typeof row?.['payload'] !== 'string') return undefined;
  const payload: AdapterPayload = JSON.parse(row['payload']);
  return { ...payload, jti, ...(row['consumed_at'] ? { consumed: row['consumed_at'] } : {}) };
}
