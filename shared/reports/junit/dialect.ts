/**
 * The interface of a dialect: how the JUnit files of one writer (a test tool or reporter) differ from those of other
 * writers.
 */
import type { ENDINGS, FoundTest, SameName } from '#shared/reports/found.ts';
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

/** How a test ended. A test that is expected to fail counts as passed if it fails, and as failed if it passes. */
export type JunitEnding = keyof typeof ENDINGS;

export interface JunitPlace extends Pick<FoundTest, 'spec' | 'title'>, Partial<Pick<FoundTest, 'group'>> {
  /** Default: the ending that `derivePlainEnding` returns. */
  readonly ending?: JunitEnding;
  /** Default: that of the dialect. */
  readonly sameName?: SameName;
  /** Whether the title is kept as it is, except for control characters. */
  readonly keepsTitle?: boolean;
}

export interface DialectContext extends Pick<ParserInput, 'now' | 'fileAt'> {
  readonly zone: Zone;
}

export interface Dialect {
  readonly name: string;
  /** The name of the framework whose tests the writer reports, as runs show it. Default: `name`. */
  readonly framework?: string;
  /** Default: `numbered`. */
  readonly sameName?: SameName;
  /** Whether times without a zone are UTC. Other writers use the local time of the machine. */
  readonly isUtc?: boolean;
  /** Whether its counters of failures count a failed test several times. */
  readonly countsTwice?: boolean;
  /** Reads how many tests failed from a comment at the end of the file. Tests around other tests are counted too. */
  readonly readFailures?: (comment: string) => number | undefined;
  readonly matches: (sample: Sample) => boolean;
  /** Corrects a row (a testcase element) before it is read. */
  readonly correct?: (row: JunitRow) => JunitRow;
  /** The spec file, group and title of a row's test, and how it ended. `root`: the root folder of the repository, if known. */
  readonly place: (row: JunitRow, root: string | undefined) => JunitPlace;
  /** Adds what only this writer says about a test. */
  readonly complete?: (test: FoundTest, row: JunitRow, place: JunitPlace) => FoundTest;
  /** Joins rows that are attempts of one test. */
  readonly join?: (rows: readonly FoundTest[]) => FoundTest;
  /** Corrects tests by comparing them with the other tests of the file. */
  readonly finish?: (tests: readonly FoundTest[]) => readonly FoundTest[];
}
