/**
 * The interface of a dialect: how the JUnit files of one writer (a test tool or reporter) differ from those of other
 * writers.
 */
import type { FoundTest, SameName } from '#shared/reports/found.ts';
import type { ParserInput } from '#shared/reports/parser-input.ts';
import type { Zone } from '#shared/reports/times.ts';
import type { Root } from './read-rows.ts';
import type { JunitRow, JunitSuite } from './row.ts';

/** The beginning of a file, from which its writer is recognized. */
export interface Sample {
  readonly roots: readonly Root[];
  readonly suites: readonly JunitSuite[];
  readonly rows: readonly JunitRow[];
  readonly comments: readonly string[];
}

export interface DialectContext extends Pick<ParserInput, 'root' | 'now' | 'fileAt'> {
  readonly zone: Zone;
}

export interface Dialect {
  readonly name: string;
  /** The name of the framework whose tests the writer reports, as runs show it. */
  readonly framework: string;
  readonly sameName: SameName;
  /** Whether times without a zone are UTC. Other writers use the local time of the machine. */
  readonly isUtc?: boolean;
  readonly matches: (sample: Sample) => boolean;
  /** Converts a row (a testcase element) to a test. Returns `undefined` for a row that is not a test. */
  readonly read: (row: JunitRow, context: DialectContext) => FoundTest | undefined;
  /** Joins rows that are attempts of one test. */
  readonly join?: (rows: readonly FoundTest[]) => FoundTest;
  /** Corrects tests by comparing them with the other tests of the file. */
  readonly finish?: (tests: readonly FoundTest[]) => readonly FoundTest[];
}
