/** Standard Webhooks 1.0: signatures that prove the origin and time of a request. */
import { createHmac, randomBytes } from 'node:crypto';
import { WEBHOOK_LIMITS } from './limits.ts';

const PREFIX = 'whsec_';

export const createSigningSecret = (): string =>
  `${PREFIX}${randomBytes(WEBHOOK_LIMITS.signingSecretBytes).toString('base64')}`;

/** One signature per secret, so that a receiver that knows any of the secrets can verify the request. */
export const makeSignatureHeader = (
  secrets: readonly string[],
  id: string,
  timestampSeconds: number,
  body: string,
): string =>
  secrets
    .map((secret) => {
      const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
      return `v1,${createHmac('sha256', key).update(`${id}.${timestampSeconds}.${body}`).digest('base64')}`;
    })
    .join(' ');
