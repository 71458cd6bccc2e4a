/** The contract of the API, which all test files of a process share. Node loads this module once per process. */
import { type Contract, contractOf } from './contract.ts';

let kept: Promise<Contract> | undefined;

/** Only the first file of a process reads the document, because reading and compiling it takes as long as a test. */
export function findContract(readDocument: () => Promise<object>): Promise<Contract> {
  kept ??= readDocument().then(contractOf);
  return kept;
}
