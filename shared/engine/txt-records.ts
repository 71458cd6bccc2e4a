/** Reads TXT records from DNS. */
import { Resolver } from 'node:dns/promises';

/** Returns `undefined` if DNS does not answer, and no texts if there is no such record. */
export type ReadTxtRecords = (name: string) => Promise<readonly string[] | undefined>;

const NO_RECORD: readonly unknown[] = ['ENODATA', 'ENOTFOUND'];
const TIMEOUT_MILLISECONDS = 2000;
const TRIES = 2;

/** `server`: the address of a DNS server. Default: those of the machine. */
export function makeTxtReader(server: string | undefined): ReadTxtRecords {
  return async (name) => {
    const resolver = new Resolver({ timeout: TIMEOUT_MILLISECONDS, tries: TRIES });
    if (server !== undefined) resolver.setServers([server]);
    try {
      // DNS splits long texts into parts.
      return (await resolver.resolveTxt(name)).map((parts) => parts.join(''));
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined;
      return NO_RECORD.includes(code) ? [] : undefined;
    }
  };
}
