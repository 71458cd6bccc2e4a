/** The properties of API responses that this program reads. Others are ignored. */
import type * as z from 'zod';
import type { ImportAnswer } from '#shared/imports/import-wire.ts';
import { CommandFailure } from './settings/failure.ts';
import { findText, isObject } from './settings/json.ts';

export type ReceivedImport = z.output<typeof ImportAnswer>;
export type ReceivedFile = ReceivedImport['files'][number];

interface FailedTest {
  readonly spec: string;
  readonly title: readonly string[];
  readonly message: string;
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

const isImport = (value: unknown): value is ReceivedImport =>
  isObject(value) && typeof value['importId'] === 'string' && Array.isArray(value['files']);

/** Reads the failed tests from the failure context of a run. */
export function parseFailedTests(body: unknown): FailedTests {
  const data = getData(body);
  const list: unknown = isObject(data) ? data['list'] : undefined;
  if (!isObject(data) || !Array.isArray(list)) throw explainForeignResponse();
  const tests = list.filter(isObject).map(({ spec, test, error, instanceId, testId }) => {
    const titles: unknown = isObject(test) ? test['title'] : undefined;
    return {
      spec: String(spec),
      title: Array.isArray(titles) ? titles.map(String) : [],
      message: findText(error, 'message') ?? '',
      instanceId: String(instanceId),
      testId: String(testId),
    };
  });
  return { tests, total: Number(data['total'] ?? tests.length) };
}

export const getData = (body: unknown): unknown => (isObject(body) ? body['data'] : undefined);

export const explainForeignResponse = () =>
  new CommandFailure('The response is not from Rundown', 'Check the address in --url, RUNDOWN_URL or RUNDOWN_DSN');

export const parseReceivedImport = (body: unknown): ReceivedImport => {
  const data = getData(body);
  if (isImport(data)) return data;
  throw explainForeignResponse();
};

export function parseAnswerText(body: unknown, ...path: readonly string[]): string {
  const text = path.reduce<unknown>((value, name) => (isObject(value) ? value[name] : undefined), getData(body));
  if (typeof text === 'string') return text;
  throw explainForeignResponse();
}
