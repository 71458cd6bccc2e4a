/**
 * §6 SSRF protection: resolves a host name and checks its addresses in one step, so that a request goes to an address
 * that was checked.
 */
import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { type AddressPolicy, mayReach } from './addresses.ts';

/** The message is shown to the owner of the receiver, so it names no internal address. */
export class RefusedAddress extends Error {
  override name = 'RefusedAddress';
  constructor() {
    super(
      'The host name resolves to an address that this service may not reach. Use a receiver on the public internet',
    );
  }
}

/** Refuses a host name if any of its addresses is forbidden, because the caller may choose any of them. */
export const guardLookup =
  (policy: AddressPolicy, resolve: LookupFunction = lookup): LookupFunction =>
  (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, answer) => {
      if (error) return callback(error, '');
      const addresses =
        typeof answer === 'string' ? [{ address: answer, family: options.family === 6 ? 6 : 4 }] : answer;
      const [first] = addresses;
      if (first === undefined || !addresses.every(({ address }) => mayReach(address, policy))) {
        return callback(new RefusedAddress(), '');
      }
      return options.all ? callback(null, addresses) : callback(null, first.address, first.family);
    });
  };
