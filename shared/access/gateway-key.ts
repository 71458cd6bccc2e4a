/**
 * The gateway key under which API Gateway counts the requests of an organization. The authorizer names it, and the usage
 * plan of the stage has one bucket for each key.
 */
import { createHash } from 'node:crypto';

/** The template creates the keys. A key for each organization would have to be created with the organization. */
export const GATEWAY_KEYS = 64;

/** Organizations are spread over the keys by a hash, so two of them may share one. */
export function gatewayKeyOf(stage: string, organizationId: string): string {
  const hash = createHash('sha256').update(organizationId).digest();
  return gatewayKey(stage, hash.readUInt32BE() % GATEWAY_KEYS);
}

/**
 * Not a secret: API Gateway takes the key from the authorizer and ignores `x-api-key`. A value has 20 or more letters
 * and digits, and is unique in the account and region.
 */
export const gatewayKey = (stage: string, number: number): string =>
  `rundown${stage}share${String(number).padStart(8, '0')}`;
