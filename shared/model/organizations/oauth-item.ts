/**
 * State of the authorization server. Access pattern: by kind and id. Only the authorization server reads and writes it.
 */
import type { Entity } from '#shared/engine/table/entity.ts';
import { composed } from '#shared/engine/table/keys.ts';
import { attributesOf, stored } from '#shared/engine/table/stored.ts';

/** `Document` is the metadata that a client publishes at the URL that is its client id. */
export type OauthModel = 'AuthorizationCode' | 'RefreshToken' | 'Interaction' | 'Client' | 'Document';

export interface OauthItem {
  readonly model: string;
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

const pattern = (question: string, model: OauthModel, id: string) => ({
  question,
  key: `pk = OAUTH#${model}#sha256(${id}), sk = OAUTH`,
});

export const oauthItems: Entity<Pick<OauthItem, 'model' | 'hash'>, OauthItem> = {
  type: 'OAuth item',
  guarded: true,
  removal: 'apart',
  patterns: [
    pattern('The authorization code with this value', 'AuthorizationCode', 'code'),
    pattern('The registered client with this id', 'Client', 'client id'),
    pattern('The metadata that a client publishes at its id', 'Document', 'client id'),
    pattern('The authorization request that waits for consent', 'Interaction', 'id'),
    pattern('The refresh token with this value', 'RefreshToken', 'token'),
  ],
  key: ({ model, hash }) => ({ pk: composed('OAUTH', model, hash), sk: 'OAUTH' }),
  store: attributesOf,
  load: stored,
};
