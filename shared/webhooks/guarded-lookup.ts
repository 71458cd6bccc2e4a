/** §6 Names become addresses here, once per attempt: what is connected to is what was checked. */
import { lookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { mayReach, type Policy } from './addresses.ts';

/** Words for whoever set up the webhook; which addresses a name has inside this network is not told. */
export class RefusedAddress extends Error {
  override name = 'RefusedAddress';
  constructor() {
    super('The name leads to an address that nothing may be sent to. Use a receiver that is on the internet');
  }
}

/** One address that may not be reached spoils the answer: which one is connected to is decided later, and by others. */
export const guardedLookup =
  (policy: Policy, resolve: LookupFunction = lookup): LookupFunction =>
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
