/** State of the authorization server. Only the authorization server reads and writes it. */
import type { Entity } from '#shared/engine/table/entity.ts';
import { composeKey } from '#shared/engine/table/keys.ts';
import { loadAttributes, toAttributes } from '#shared/engine/table/stored.ts';

/** `Document` is the metadata that a client publishes at the URL that is its client id. */
export type OauthModel = 'AuthorizationCode' | 'RefreshToken' | 'Interaction' | 'Client' | 'Document';

export interface OauthItem {
  readonly model: OauthModel;
  /** SHA-256 of the id, in hex, so that nobody who reads the table learns the id. */
  readonly hash: string;
  /** JSON, as the authorization server wrote it. */
  readonly payload: string;
  /** The grant that the code or refresh token belongs to. */
  readonly grantId?: string;
  /** When the code or refresh token was used, in epoch milliseconds. It can be used only once. */
  readonly consumedAt?: number;
  /** TTL in epoch seconds. */
  readonly expiresAt: number;
}

const makePattern = (question: string, model: OauthModel, id: string) => ({
  question,
  of: { model, hash: `sha256(${id})` },
});

export const oauthItems: Entity<Pick<OauthItem, 'model' | 'hash'>, OauthItem> = {
  type: 'OAuth item',
  guarded: true,
  removal: 'apart',
  patterns: [
    makePattern('The authorization code with this value', 'AuthorizationCode', 'code'),
    makePattern('The registered client with this id', 'Client', 'client id'),
    makePattern('The metadata that a client publishes at its id', 'Document', 'client id'),
    makePattern('The authorization request that waits for consent', 'Interaction', 'id'),
    makePattern('The refresh token with this value', 'RefreshToken', 'token'),
  ],
  key: ({ model, hash }) => ({ pk: composeKey('OAUTH', model, hash), sk: 'OAUTH' }),
  store: toAttributes,
  load: loadAttributes,
};
