/**
 * §5.3 Stores the state of oidc-provider in the table. Ids are secrets, so rows contain only their hashes. The table
 * hides expired rows.
 */

import { createHmac } from 'node:crypto';
import { type Adapter, type AdapterPayload, errors } from 'oidc-provider';
import { hashToken } from '#shared/access/token.ts';
import { ABSENT, PRESENT, put, remove } from '#shared/engine/table/writes.ts';
import { type OauthItem, type OauthModel, oauthItems } from '#shared/model/oauth/oauth-item.ts';
import { grantRows, recordRenewal, removeGrantById } from './grant-rows.ts';
import { OAUTH_LIMITS } from './limits.ts';
import { getRequestState, type RequestState } from './request-state.ts';

/** The storage adapter for one of the models (types of stored objects) of oidc-provider. */
export function makeAdapter(model: string): Adapter {
  if (model === 'Grant') return { ...NO_STORAGE, ...grantRows };
  // The sessions of this service say who is signed in. A session of oidc-provider could contradict them.
  if (model === 'Session') return NO_STORAGE;
  const storedModel = STORED_MODELS.find((stored) => stored === model);
  return storedModel ? { ...NO_STORAGE, ...makeRowAdapter(storedModel) } : makeRefusingAdapter(model);
}

/** Stores nothing, for models that this service does not need, and for the operations that a model does not have. */
const NO_STORAGE: Adapter = {
  upsert: async () => {},
  find: async () => undefined,
  findByUid: async () => undefined,
  findByUserCode: async () => undefined,
  consume: async () => {},
  destroy: async () => {},
  // oidc-provider also deletes the grant, which every use of a code or refresh token reads.
  revokeByGrantId: async () => {},
};

const STORED_MODELS: readonly OauthModel[] = ['AuthorizationCode', 'RefreshToken', 'Interaction', 'Client'];

/** A model that is stored nowhere must not seem to be. */
const makeRefusingAdapter = (model: string): Adapter => ({
  ...NO_STORAGE,
  upsert: async () => {
    throw new Error(`The authorization server does not store the model ${model}`);
  },
});

function makeRowAdapter(model: OauthModel): Pick<Adapter, 'upsert' | 'find' | 'consume' | 'destroy'> {
  const makeKey = (id: string) => ({ model, hash: hashToken(id) });
  return {
    /** A successor that exists already, because its renewal was repeated, stays as it is. */
    async upsert(id, { jti: _, ...payload }, expiresIn = OAUTH_LIMITS.clientSeconds) {
      const { services } = getRequestState();
      const { grantId } = payload;
      const item: OauthItem = {
        ...makeKey(id),
        payload: JSON.stringify(payload),
        grantId,
        expiresAt: Math.floor(services.now() / 1000) + expiresIn,
      };
      if (model !== 'RefreshToken') return services.table.writeMany([put(oauthItems, item)]);
      const outcome = await services.table.put(oauthItems, item, ABSENT);
      if (outcome.done && grantId !== undefined && 'rotations' in payload) await recordRenewal(services, grantId);
    },
    async find(id) {
      const item = await getRequestState().services.table.get(oauthItems, makeKey(id), { consistent: true });
      if (!item) return undefined;
      const payload: AdapterPayload = JSON.parse(item.payload);
      const { consumedAt } = item;
      if (consumedAt === undefined || isRenewalRepeatable(item)) return { ...payload, jti: id };
      return { ...payload, jti: id, consumed: Math.floor(consumedAt / 1000) };
    },
    /**
     * Succeeds only once. Any further use, even a concurrent one, deletes the grant, which ends its refresh tokens. But
     * a renewal may be repeated for some seconds, because several processes of one agent share a refresh token, and
     * because answers get lost.
     */
    async consume(id) {
      const state = getRequestState();
      const { services } = state;
      const isUnused = { all: [PRESENT, { absent: 'consumedAt' }] } as const;
      const changes = { set: [['consumedAt', services.now()]] } as const;
      const result = await services.table.update(oauthItems, makeKey(id), changes, isUnused);
      if (result.done || isRenewalRepeatable(result.item)) {
        if (model === 'RefreshToken') state.successor = await findSuccessor(state, id);
        return;
      }
      if (result.item?.grantId !== undefined) await removeGrantById(services, result.item.grantId);
      throw new errors.InvalidGrant('the code or token was already used, possibly by a concurrent request');
    },
    async destroy(id) {
      await getRequestState().services.table.writeMany([remove(oauthItems, makeKey(id))]);
    },
  };
}

/** §5.3 Whether a used refresh token may be used again, because its first use was only a few seconds ago. */
function isRenewalRepeatable(item: OauthItem | undefined): boolean {
  if (item?.model !== 'RefreshToken' || item.consumedAt === undefined) return false;
  return getRequestState().services.now() < item.consumedAt + OAUTH_LIMITS.renewalGraceMilliseconds;
}

/**
 * The refresh token that follows a used one. It is derived from the used one and a secret of this service, so that a
 * repeated renewal yields the same token, and that no token is stored. If the successor was used meanwhile as well, the
 * repeated renewal yields the newest token of the family.
 */
async function findSuccessor({ services, renewalSecret }: RequestState, token: string): Promise<string> {
  if (renewalSecret === undefined) throw new Error('A refresh token was used outside the authorization server');
  let successor = token;
  for (let generation = 0; generation < OAUTH_LIMITS.renewalsInGrace; generation += 1) {
    successor = createHmac('sha256', renewalSecret).update(successor).digest('base64url');
    const key = { model: 'RefreshToken', hash: hashToken(successor) } as const;
    const item = await services.table.get(oauthItems, key, { consistent: true });
    if (item?.consumedAt === undefined) break;
  }
  return successor;
}
