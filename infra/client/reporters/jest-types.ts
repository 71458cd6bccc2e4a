/** The members of Jest's types that the reporter reads, so that it needs no Jest package. */
export interface GlobalConfig {
  readonly rootDir: string;
  readonly shard?: { readonly shardCount: number };
  readonly watch?: boolean;
  readonly watchAll?: boolean;
  readonly passWithNoTests?: boolean;
  readonly bail?: number;
  readonly forceExit?: boolean;
}

export interface Test {
  readonly path: string;
  readonly context: { readonly config: { readonly displayName?: string | { readonly name: string } } };
}

export interface CaseStart {
  readonly ancestorTitles: readonly string[];
  readonly title: string;
  readonly startedAt?: number | null;
}

export interface CaseResult extends CaseStart {
  readonly status: string;
  readonly duration?: number | null;
  readonly failureMessages?: readonly string[];
  /** How often the test ran. Jest reports each of these runs, but the result of the file contains only the last one. */
  readonly invocations?: number;
  readonly retryReasons?: readonly string[];
  /** Whether the test is expected to fail. Older versions of Jest do not say so. */
  readonly failing?: boolean;
  readonly startAt?: number | null;
  readonly location?: { readonly line: number; readonly column: number } | null;
}

export interface ThrownError {
  readonly message?: string;
  readonly stack?: string;
}

export interface FileResult {
  readonly testResults: readonly CaseResult[];
  readonly testExecError?: ThrownError;
  readonly failureMessage?: string | null;
  readonly console?: readonly { readonly message: string; readonly type: string }[] | null;
}

export interface RunResults {
  readonly numTotalTestSuites: number;
  readonly numFailedTests: number;
  readonly wasInterrupted?: boolean;
  readonly runExecError?: ThrownError;
}
