/**
 * Lets clients repeat a request that creates something, by the header `Idempotency-Key` (draft-ietf-httpapi-
 * idempotency-key-header). The first request stores its result in the transaction that creates the object, so there is
 * no moment in which one exists without the other. Later requests with the key get this result.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { ApiActor } from '#shared/access/actor.ts';
import { invalidRequest } from '#shared/engine/errors.ts';
import { computeEntityTag } from '#shared/engine/http/content.ts';
import { ABSENT, put } from '#shared/engine/table/writes.ts';
import { submittedForms } from '#shared/model/submitted-form.ts';
import type { Repetition } from '#shared/organizations/only-once.ts';
import { keyReused } from './errors.ts';
import { IDEMPOTENCY_LIMITS } from './limits.ts';

export const IDEMPOTENCY_KEY = 'Idempotency-Key';

interface RepeatableRequest {
  /** The value of the header. */
  readonly key: string;
  readonly operationId: string;
  readonly actor: ApiActor;
  /** The validated parts. Requests that differ in them are different requests. */
  readonly parts: readonly unknown[];
}

/** How an operation answers the repetition of a request. Only functions that declare it bundle it. */
export type RepeatsByKey = (request: RepeatableRequest) => Repetition;

export const repeatByKey: RepeatsByKey = ({ key, operationId, actor, parts }) => {
  if (!KEY.test(key))
    throw invalidRequest(
      `\`${IDEMPOTENCY_KEY}\` must have 1 to ${IDEMPOTENCY_LIMITS.keyCharacters} visible ASCII characters, such as a random UUID`,
    );
  const rowKey = {
    actor: JSON.stringify(listCredentialIds(actor)),
    formId: computeEntityTag(JSON.stringify([operationId, key])),
  };
  const request = computeEntityTag(JSON.stringify(parts));
  // The result may contain a secret that is shown once. So only who knows the key can read it.
  const secret = Buffer.from(hkdfSync('sha256', key, rowKey.actor, operationId, 32));
  return {
    find: async ({ table }) => {
      const row = await table.get(submittedForms, rowKey, { consistent: true });
      if (!row) return undefined;
      if (row.request !== request) throw keyReused();
      return { result: JSON.parse(unseal(secret, row.sealedResult ?? '')) };
    },
    plan: ({ now }, result) => {
      const expiresAt = Math.ceil(now() / 1000) + IDEMPOTENCY_LIMITS.seconds;
      const sealedResult = seal(secret, JSON.stringify(result));
      return put(submittedForms, { ...rowKey, expiresAt, request, sealedResult }, ABSENT);
    },
  };
};

/** An application gets a new access token each hour, and may repeat a request with the next one. */
function listCredentialIds(actor: ApiActor): readonly string[] {
  if (actor.kind === 'apiKey') return [actor.kind, actor.keyId];
  if (actor.kind === 'personalToken') return [actor.kind, actor.tokenId];
  return [actor.kind, actor.organizationId, actor.accountId, actor.clientId];
}

const KEY = new RegExp(`^[\\x21-\\x7e]{1,${IDEMPOTENCY_LIMITS.keyCharacters}}$`);

const CIPHER = 'aes-256-gcm';
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

function seal(secret: Buffer, text: string): string {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, secret, nonce);
  const ciphertext = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), ciphertext]).toString('base64');
}

function unseal(secret: Buffer, sealedText: string): string {
  const bytes = Buffer.from(sealedText, 'base64');
  const decipher = createDecipheriv(CIPHER, secret, bytes.subarray(0, NONCE_BYTES), { authTagLength: TAG_BYTES });
  decipher.setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES));
  return Buffer.concat([decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8');
}
