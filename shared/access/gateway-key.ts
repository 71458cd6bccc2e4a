/**
 * The API Gateway key under which requests of an organization are throttled. The authorizer returns the key, and the
 * usage plan of the stage has one token bucket per key.
 */
import { createHash } from 'node:crypto';

/** The CloudFormation template creates all keys, so that creating an organization needs no key of its own. */
export const GATEWAY_KEYS = 64;

/** Spreads organizations over the keys by hash, so several organizations may share a key. */
export function pickGatewayKey(stage: string, organizationId: string): string {
  const hash = createHash('sha256').update(organizationId).digest();
  return formatGatewayKey(stage, hash.readUInt32BE() % GATEWAY_KEYS);
}

/**
 * The value of a key. It is not a secret, because API Gateway takes the key from the authorizer and ignores the header
 * `x-api-key`. Key values need at least 20 letters and digits, and must be unique in the account and region.
 */
export const formatGatewayKey = (stage: string, number: number): string =>
  `rundown${stage}share${String(number).padStart(8, '0')}`;
