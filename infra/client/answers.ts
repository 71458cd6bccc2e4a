/** The properties of API responses that this program reads. Others are ignored. */
import { CommandFailure } from './settings/failure.ts';

export interface ReceivedFile {
  readonly name: string;
  readonly tests: Readonly<Record<'overall' | 'passes' | 'failures' | 'pending' | 'skipped' | 'flaky', number>>;
  readonly truncated: boolean;
  readonly runErrors: readonly string[];
  readonly warnings: readonly { readonly line: number | null; readonly message: string }[];
}

export interface ReceivedImport {
  readonly importId: string;
  readonly state: string;
  readonly runId: string | null;
  readonly runUrl: string | null;
  readonly problem: string | null;
  readonly files: readonly ReceivedFile[];
}

interface FailedTest {
  readonly spec: string;
  readonly title: readonly string[];
  readonly message: string | null;
  readonly instanceId: string;
  readonly testId: string;
}

/** The first failed tests of a run, and the total number of failed tests. */
export interface FailedTests {
  readonly tests: readonly FailedTest[];
  readonly total: number;
}

/** The result of `rundown upload` or `rundown complete`: the run and its imports. */
export interface CommandImports {
  readonly runUrl: string | null;
  readonly runId: string | null;
  readonly imports: readonly ReceivedImport[];
  /** Why files were refused, and what to do. */
  readonly refused: readonly CommandFailure[];
}

export interface Link {
  readonly importId: string;
  readonly uploadUrl: string;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const isImport = (value: unknown): value is ReceivedImport =>
  isObject(value) && typeof value['importId'] === 'string' && Array.isArray(value['files']);
/** Reads the failed tests from the failure context of a run. */
export function failedTestsIn(body: unknown): FailedTests {
  const data = dataOf(body);
  const list: unknown = isObject(data) ? data['list'] : undefined;
  if (!isObject(data) || !Array.isArray(list)) throw foreign();
  const tests = list.filter(isObject).map((one) => {
    const { test, error } = one;
    const titles: unknown = isObject(test) ? test['title'] : undefined;
    const message = isObject(error) ? error['message'] : undefined;
    return {
      spec: String(one['spec']),
      title: Array.isArray(titles) ? titles.map(String) : [],
      message: typeof message === 'string' ? message : null,
      instanceId: String(one['instanceId']),
      testId: String(one['testId']),
    };
  });
  return { tests, total: Number(data['total'] ?? tests.length) };
}

const isLink = (value: unknown): value is Link => isObject(value) && typeof value['uploadUrl'] === 'string';

const dataOf = (body: unknown): unknown => (isObject(body) ? body['data'] : undefined);

const foreign = () =>
  new CommandFailure('The response is not from Rundown', 'Check the address in --url, RUNDOWN_URL or RUNDOWN_DSN');

export const importIn = (body: unknown): ReceivedImport => {
  const data = dataOf(body);
  if (isImport(data)) return data;
  throw foreign();
};

export const linkIn = (body: unknown): Link => {
  const data = dataOf(body);
  if (isLink(data)) return data;
  throw foreign();
};

/** Reads the text at this path in the `data` of a response. */
export function textIn(body: unknown, ...path: readonly string[]): string {
  const found = path.reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), dataOf(body));
  if (typeof found === 'string') return found;
  throw foreign();
}
