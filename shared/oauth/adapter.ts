/**
 * Stores the state of oidc-provider in the table. Ids are secrets, so rows contain only their hashes. The table hides
 * rows that have ended.
 */
import { type Adapter, type AdapterPayload, errors } from 'oidc-provider';
import { hashToken } from '#shared/access/token.ts';
import { PRESENT, put, remove } from '#shared/engine/table/writes.ts';
import { type OauthItem, type OauthModel, oauthItems } from '#shared/model/organizations/oauth-item.ts';
import { grantRows, recordRenewal, removeGrantOf } from './grant-rows.ts';
import { OAUTH_LIMITS } from './limits.ts';
import { currentState } from './request-state.ts';

/** The storage adapter for one of the library's models. */
export function adapterOf(model: string): Adapter {
  if (model === 'Grant') return { ...nothing, ...grantRows };
  // Our own session says who is signed in. A second session could disagree with it.
  if (model === 'Session') return nothing;
  return { ...nothing, ...storedRows(model) };
}

const nothing: Adapter = {
  upsert: async () => {},
  find: async () => undefined,
  findByUid: async () => undefined,
  findByUserCode: async () => undefined,
  consume: async () => {},
  destroy: async () => {},
  // Nothing to do: the library also destroys the grant, which every use of its codes and tokens reads.
  revokeByGrantId: async () => {},
};

const KEPT: readonly OauthModel[] = ['AuthorizationCode', 'RefreshToken', 'Interaction', 'Client'];

type Rows = Pick<Adapter, 'upsert' | 'find' | 'consume' | 'destroy'>;

function storedRows(model: string): Rows {
  const keyOf = (id: string) => ({ model, hash: hashToken(id) });
  return {
    async upsert(id, { jti: _, ...payload }, expiresIn = OAUTH_LIMITS.clientSeconds) {
      if (!KEPT.some((kept) => kept === model))
        throw new Error(`The authorization server does not store the model ${model}`);
      const { services } = currentState();
      const { grantId } = payload;
      const item: OauthItem = {
        ...keyOf(id),
        payload: JSON.stringify(payload),
        ...(grantId === undefined ? {} : { grantId }),
        expiresAt: Math.floor(services.now() / 1000) + expiresIn,
      };
      await services.table.writeMany([put(oauthItems, item)]);
      if (grantId !== undefined && 'rotations' in payload) await recordRenewal(services, grantId);
    },
    async find(id) {
      const item = await currentState().services.table.get(oauthItems, keyOf(id), { consistent: true });
      return item && payloadOf(item, id);
    },
    /** Succeeds once. Any further use, even a concurrent one, ends the grant with all its tokens. */
    async consume(id) {
      const { services } = currentState();
      const unused = { all: [PRESENT, { absent: 'consumedAt' }] } as const;
      const used = await services.table.update(
        oauthItems,
        keyOf(id),
        { set: [['consumedAt', services.now()]] },
        unused,
      );
      if (used.done) return;
      if (used.existing?.grantId !== undefined) await removeGrantOf(services, used.existing.grantId);
      throw new errors.InvalidGrant('already used, possibly by a concurrent request');
    },
    async destroy(id) {
      await currentState().services.table.writeMany([remove(oauthItems, keyOf(id))]);
    },
  };
}

function payloadOf({ payload, consumedAt }: OauthItem, jti: string): AdapterPayload {
  const stored: AdapterPayload = JSON.parse(payload);
  return { ...stored, jti, ...(consumedAt === undefined ? {} : { consumed: Math.floor(consumedAt / 1000) }) };
}
