/** What the readers of all test frameworks read from an error. */

type ErrorKind = 'assertion' | 'crash' | 'error' | 'network' | 'setup' | 'timeout' | 'unexpectedPass';

/** A line of a diff: `-` was expected, `+` was received. */
export interface DiffLine {
  readonly op: '-' | '+' | ' ';
  readonly text: string;
}

export interface FrameLine {
  readonly line: number;
  readonly text: string;
  readonly isFailing: boolean;
}

export interface SourceLocation {
  /** The path as the framework printed it. */
  readonly file: string;
  readonly line: number;
  readonly column: number | null;
}

export interface ErrorReading {
  readonly kind: ErrorKind;
  /** The headline, without the class of an assertion error. */
  readonly title: string;
  /** Name of the assertion: `toHaveText`, `not.toBe`, `to equal`, `==`. */
  readonly matcher: string | null;
  /** What the assertion checked, if the error names it: a locator, a variable or an expression. */
  readonly target: string | null;
  /** The expected value as the framework printed it, without its label. */
  readonly expected: string | null;
  readonly received: string | null;
  readonly diff: readonly DiffLine[] | null;
  /** The topmost frame of the user's own code. */
  readonly location: SourceLocation | null;
  readonly frame: readonly FrameLine[] | null;
  readonly signals: {
    /** The first line of the last entry in Playwright's call log. */
    readonly lastLog: string | null;
    /** A code such as `ECONNREFUSED` or `ERR_EMPTY_RESPONSE`. */
    readonly code: string | null;
  };
}

/** The texts of an error. The message, the stack and the snippet have no color codes and a limited length. */
export interface ErrorTexts {
  readonly message: string;
  readonly stack: string;
  readonly snippet: string;
  readonly type: string;
}

/** The members that a parser returns. All except the title have a default. */
export type PartialReading = Pick<ErrorReading, 'title'> &
  Partial<Omit<ErrorReading, 'signals'>> & { readonly lastLog?: string | undefined };

export type Values = Pick<PartialReading, 'expected' | 'received'>;
